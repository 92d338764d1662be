"""Names of models: another name leads to the library's slug."""

from advisor.library import models
from advisor.sizing.model_names import ALIASES, canonical_slug

MODELS = models()


def test_every_alias_leads_into_the_library_or_nowhere():
    for name, slug in ALIASES.items():
        assert canonical_slug(name, MODELS) in (slug, name, None)
    assert canonical_slug("meta-llama/Llama-3-8B", MODELS) == "llama-3-8b"
    assert canonical_slug("stable-diffusion-xl", MODELS) is not None

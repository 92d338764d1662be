"""The advisor's nouns, one file each."""

from advisor.models.preset_answer import PresetAnswer

__all__ = ["PresetAnswer"]

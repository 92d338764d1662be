"""No picture is computed faster than the card's own peak; what was measured of image encoders holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.sizing.transfer import peak_tflops
from tests.core.sizing.media.published import LIBRARY, job_for, speed

TRANSFORMERS = sorted(
    slug for slug, row in LIBRARY.models.items() if row["scenario"] == "vision" and row.get("family") in ("vit", "swin")
)


def body(model: str, **more: Any) -> dict[str, Any]:
    return {"scenario": "vision", "task": "inference", "model": model, "kind": "classification", **more}


@given(
    model=st.sampled_from(TRANSFORMERS),
    gpu=st.sampled_from(sorted(LIBRARY.gpus)),
    batch=st.sampled_from([1, 8, 64, 256]),
    precision=st.sampled_from(["fp32", "tf32", "amp", "fp16"]),
    engine=st.sampled_from(["pytorch", "tensorrt"]),
    task=st.sampled_from(["inference", "training"]),
)
def test_no_transformer_runs_above_the_peak(model, gpu, batch, precision, engine, task):
    work = body(model, batch=batch, precision=precision, engine=engine) | {"task": task}
    job = job_for(work)
    rate = job.rate(LIBRARY.gpus[gpu], 1)
    assert rate is not None
    macs = float(LIBRARY.models[model]["gmacs_per_image"]) * 1e9
    passes = 3 if task == "training" else 1
    assert rate.value * macs * 2 * passes <= 0.81 * peak_tflops(LIBRARY.gpus[gpu], job.arithmetic()) * 1e12


@pytest.mark.parametrize(
    ("more", "images_per_second"),
    [
        # Segment Anything (arXiv 2304.02643): about 0.15 s for the image encoder on an A100
        ({"precision": "amp", "batch": 1}, 6.7),
        # EfficientViT-SAM, table of models: SAM-ViT-H with TensorRT, fp16, batch 16, on an A100
        ({"precision": "fp16", "batch": 16, "engine": "tensorrt"}, 11.0),
    ],
)
def test_sam_vit_h_on_an_a100(more, images_per_second):
    assert speed(body("sam-vit-h", image_size=1024, **more), "a100-sxm-80g") == pytest.approx(
        images_per_second, rel=0.3
    )

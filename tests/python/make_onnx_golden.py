"""Writes tests/golden/onnx: an image encoder as PyTorch exports it, with what it gives for one image.

Run with a Python that has torch: python3 tests/python/make_onnx_golden.py
"""

import json
import pathlib

import torch
from torch import nn

FOLDER = pathlib.Path(__file__).parent.parent / "golden" / "onnx"

torch.manual_seed(0)
encoder = nn.Sequential(
    nn.Conv2d(3, 4, 3, stride=2, padding=1),
    nn.BatchNorm2d(4),
    nn.ReLU(),
    nn.Conv2d(4, 5, 3, stride=2, padding=1),
    nn.GroupNorm(1, 5),
    nn.GELU(),
).eval()
image = torch.linspace(0, 1, 3 * 8 * 8).reshape(1, 3, 8, 8)
FOLDER.mkdir(exist_ok=True)
torch.onnx.export(
    encoder,
    image,
    str(FOLDER / "encoder.onnx"),
    input_names=["pixels"],
    output_names=["features"],
    dynamic_axes={"pixels": {0: "batch"}, "features": {0: "batch"}},
    opset_version=17,
)
with torch.no_grad():
    features = encoder(image)
golden = {"torch": torch.__version__, "shape": list(features.shape[1:]), "features": features.flatten().tolist()}
(FOLDER / "encoder.json").write_text(json.dumps(golden) + "\n")

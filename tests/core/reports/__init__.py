"""Public bug reports of other libraries, each turned into a case with its right outcome.

The rows are numbered as in the survey they come from; a number that is missing had no case for this library.
"""

from collections.abc import Callable

ROWS = {
    1: "pytorch #103963, #103749",
    2: "pytorch #41508, #160064",
    3: "pytorch #190486",
    4: "pytorch #110213, transformers #26572",
    5: "pytorch #170400, LLMs-from-scratch #1061",
    6: "pytorch #108108, flash-attention #282, mlx #2835",
    7: "pytorch #144858, flax #5591",
    8: "flash-attention's README, five queries and two keys",
    9: "pytorch #118972, minimind #382",
    10: "transformers #41966, #47678",
    11: "pytorch #124464, timm #1978, wenet #2699",
    12: "Paddle #41933, flash-attention #49, pytorch #60940",
    16: "onnx #7274, axlearn #842",
    17: "onnx #7118",
    18: "fla #766, gpt-neox #363",
    19: "VeloxQuant-MLX #171",
    20: "transformers #25199, nanochat #264",
    22: "mlx #343, TensorRT-LLM #1611, Baichuan2 #225",
    24: "onnx #7865, flash-attention #1025, flashinfer #350",
    25: "unsloth-zoo #593",
    26: "transformers #39408, #29623, vllm #3385",
    29: "pytorch #51102",
    30: "LBANN #2024",
    32: "pytorch #99012, #111276, trl #1460",
    33: "pytorch #141218, #81077, flash-attention #2568",
    34: "pytorch #193728",
    36: "pytorch #101967",
    37: "BERT-pytorch #78, Transformer #25",
    38: "pytorch #195460, xformers #1402",
}

Check = Callable[[], None]


class Reports(dict[str, Check]):
    """The cases of one file, by "row 6: pytorch #108108"."""

    def row(self, number: int) -> Callable[[Check], Check]:
        def keep(check: Check) -> Check:
            self[f"row {number}: {ROWS[number]}"] = check
            return check

        return keep

"""attention_core judged by data that nobody here wrote: ONNX's operator suite, PyTorch's operator samples,
flash-attention's shapes, and the layouts that published models use.

    python -m tests.core.conformance           prints the counts
    python -m tests.core.conformance --write   prints them and puts them into attention_core/README.md
"""

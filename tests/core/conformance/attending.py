"""ONNX's Attention operator said in attention_core's words: axes, past keys, masks. No arithmetic here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attention_core import heads, masks, trace
from tests.core.conformance.cases import Case
from tests.core.conformance.libraries import Library

# qk_matmul_output_mode -> the intermediate of the trace that the operator shows
SHOWN = {0: "scaled", 1: "capped", 2: "masked", 3: "weights"}


@dataclass(frozen=True)
class Request:
    """One call of `attention`: arrays (B, heads, length, width) and its options."""

    q: Any
    k: Any
    v: Any
    options: dict[str, Any]
    flat: bool  # the case has three axes, heads side by side


def read(case: Case, library: Library) -> Request:
    given = {name: library.take(array) for name, array in case.inputs.items()}
    attributes = case.attributes
    q, k, v = given["Q"], given["K"], given["V"]
    flat = q.ndim == 3
    if flat:
        q = heads.split(q, heads=attributes["q_num_heads"])
        k, v = (heads.split(x, heads=attributes["kv_num_heads"]) for x in (k, v))
    if "past_key" in given:
        xp = library.namespace(q)
        k = xp.concat((given["past_key"], k), axis=-2)
        v = xp.concat((given["past_value"], v), axis=-2)
    options = _rules(case, q, k, library)
    if "attn_mask" in given:
        _add_mask(options, given["attn_mask"], k.shape[-2], library)
    options["scale"] = attributes.get("scale")
    options["softcap"] = attributes.get("softcap") or None
    return Request(q=q, k=k, v=v, options=options, flat=flat)


def _rules(case: Case, q: Any, k: Any, library: Library) -> dict[str, Any]:
    """The causal rule and the window. Without a cache they are top-left; a cache shifts the queries."""
    attributes, queries, keys = case.attributes, q.shape[-2], k.shape[-2]
    left, right = (
        None if side < 0 else side
        for side in (attributes.get("left_window_size", -1), attributes.get("right_window_size", -1))
    )
    causal = bool(attributes.get("is_causal"))
    if "past_key" not in case.inputs and "nonpad_kv_seqlen" not in case.inputs:
        window = None if left is None and right is None else (left, right)
        return {"mask": None, "causal": "top_left" if causal else None, "window": window}
    xp = library.namespace(q)
    span = (left, 0 if causal else right)
    if "past_key" in case.inputs:
        past = case.inputs["past_key"].shape[-2]
        return {"mask": masks.window(queries, keys=keys, span=span, offset=past, like=q)}
    lengths = case.inputs["nonpad_kv_seqlen"].tolist()
    near = [masks.window(queries, keys=keys, span=span, offset=n - queries, like=q) for n in lengths]
    real = xp.asarray(masks.padding(lengths, keys=keys))
    return {"mask": masks.combine(xp.stack(near)[:, None, :, :], real)}


def _add_mask(options: dict[str, Any], given: Any, keys: int, library: Library) -> None:
    """A boolean mask joins the others, a float one is a bias; one that is too short hides what it lacks."""
    xp = library.namespace(given)
    boolean = xp.isdtype(given.dtype, "bool")
    short = keys - given.shape[-1]
    if short:
        hidden = xp.full((*given.shape[:-1], short), False if boolean else -float("inf"), dtype=given.dtype)
        given = xp.concat((given, hidden), axis=-1)
    if boolean:
        options["mask"] = masks.combine(options["mask"], given)
    else:
        options["bias"] = given


def outputs(case: Case, request: Request, output: Any, shown: Any = None) -> dict[str, Any]:
    """The operator's outputs by name."""
    return {
        "Y": heads.merge(output) if request.flat else output,
        "present_key": request.k,
        "present_value": request.v,
        "qk_matmul_output": shown,
    }


def attend(case: Case, library: Library) -> dict[str, Any]:
    request = read(case, library)
    t = trace(request.q, request.k, request.v, **request.options)
    return outputs(case, request, t.output, t[SHOWN[case.attributes.get("qk_matmul_output_mode", 0)]])

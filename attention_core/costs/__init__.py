"""What attention costs, as exact integers: parameters, FLOPs, bytes, pairs, paths.

    parameters   weights of a part, a layer, a whole model
    flops        pairs that may attend; FLOPs forward and backward; dot against additive scores
    memory       bytes of inputs, scores and outputs; the peak of each backend
    training     the peak of each backend with its backward pass
    limits       the longest sequence that a memory takes
    padding      what batches of unequal lengths compute for nothing
    traffic      bytes moved, arithmetic intensity, roofline
    serving      KV cache, admission budget
    paths        how far apart tokens are: recurrent, convolution, attention

One multiply-add counts as 2 FLOPs. B batch, H query heads, G key/value heads, T queries, S keys, D head
width, E model width, F inner width of the feed-forward network. Everything is keyword-only (but the queries
of `visible_pairs`), so that no two counts can be exchanged unseen; a count that is no whole number ≥ 0 is
refused by name.
"""

from attention_core.costs.counting import (
    ITEMSIZES,
    itemsize,
)
from attention_core.costs.flops import (
    additive_score_flops,
    attention_backward_flops,
    attention_flops,
    dot_score_flops,
    feed_forward_flops,
    layer_backward_flops,
    layer_flops,
    projection_flops,
    swiglu_flops,
    training_flops_per_token,
    visible_pairs,
)
from attention_core.costs.limits import longest_length
from attention_core.costs.memory import (
    CHECKED_ROWS,
    PEAKS,
    flash_peak_bytes,
    math_peak_bytes,
    naive_peak_bytes,
    output_bytes,
    peak_bytes,
    predicted_bytes,
    qkv_bytes,
    score_matrix_bytes,
)
from attention_core.costs.padding import (
    largest_batch_tokens,
    padded_pairs,
    padded_tokens,
    padding_share,
)
from attention_core.costs.parameters import (
    attention_parameters,
    bert_parameters,
    decoder_layer_parameters,
    embedding_parameters,
    encoder_layer_parameters,
    feed_forward_parameters,
    gpt2_parameters,
    layer_norm_parameters,
    llama_parameters,
    rms_norm_parameters,
    swiglu_parameters,
    weight_parameters,
)
from attention_core.costs.paths import (
    attention_operations,
    attention_path,
    convolution_operations,
    convolution_path,
    dilated_path,
    receptive_field,
    recurrent_operations,
    recurrent_path,
)
from attention_core.costs.serving import (
    admitted_sequences,
    kv_bytes_per_token,
    kv_cache_bytes,
    latent_bytes_per_token,
    projections_with_cache,
    projections_without_cache,
    weight_bytes,
)
from attention_core.costs.traffic import (
    arithmetic_intensity,
    attainable_flops,
    decode_intensity,
    least_traffic_bytes,
    naive_traffic_bytes,
    ridge_intensity,
    tile_bytes,
    tiled_traffic_bytes,
)
from attention_core.costs.training import WITH_BACKWARD, predicted_training_bytes, training_peak_bytes

__all__ = [
    "CHECKED_ROWS",
    "ITEMSIZES",
    "PEAKS",
    "WITH_BACKWARD",
    "additive_score_flops",
    "admitted_sequences",
    "arithmetic_intensity",
    "attainable_flops",
    "attention_backward_flops",
    "attention_flops",
    "attention_operations",
    "attention_parameters",
    "attention_path",
    "bert_parameters",
    "convolution_operations",
    "convolution_path",
    "decode_intensity",
    "decoder_layer_parameters",
    "dilated_path",
    "dot_score_flops",
    "embedding_parameters",
    "encoder_layer_parameters",
    "feed_forward_flops",
    "feed_forward_parameters",
    "flash_peak_bytes",
    "gpt2_parameters",
    "itemsize",
    "kv_bytes_per_token",
    "kv_cache_bytes",
    "largest_batch_tokens",
    "latent_bytes_per_token",
    "layer_backward_flops",
    "layer_flops",
    "layer_norm_parameters",
    "least_traffic_bytes",
    "llama_parameters",
    "longest_length",
    "math_peak_bytes",
    "naive_peak_bytes",
    "naive_traffic_bytes",
    "output_bytes",
    "padded_pairs",
    "padded_tokens",
    "padding_share",
    "peak_bytes",
    "predicted_bytes",
    "predicted_training_bytes",
    "projection_flops",
    "projections_with_cache",
    "projections_without_cache",
    "qkv_bytes",
    "receptive_field",
    "recurrent_operations",
    "recurrent_path",
    "ridge_intensity",
    "rms_norm_parameters",
    "score_matrix_bytes",
    "swiglu_flops",
    "swiglu_parameters",
    "tile_bytes",
    "tiled_traffic_bytes",
    "training_flops_per_token",
    "training_peak_bytes",
    "visible_pairs",
    "weight_bytes",
    "weight_parameters",
]

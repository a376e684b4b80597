"""GGUF files of tiny random models, written with the library's own writer and names."""

import gguf
import numpy as np
import torch
import transformers

from tests.interop.huggingface import tiny_models as tiny


def writer_of(path, architecture):
    """A writer with nothing in it yet."""
    return gguf.GGUFWriter(path, architecture)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def random_model(case, seed=0):
    """A model of a case of `tiny_models.CASES`, or of one of the same form."""
    family, sizes, options = tiny.CASES[case] if isinstance(case, str) else case
    torch.manual_seed(seed)
    config = getattr(transformers, f"{family}Config")(**{**sizes, **options})
    model = transformers.AutoModelForCausalLM.from_config(
        config, attn_implementation="eager"
    ).eval()
    tiny.randomise(model, seed)
    return model


def arrays_of(model):
    """The arrays of a model by the names of `transformers`; a tied head once."""
    arrays = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    if model.config.tie_word_embeddings:
        del arrays["lm_head.weight"]
    return arrays


def paired(rows, heads):
    """Rows of heads as llama.cpp keeps Llama's: the two that turn together are neighbours."""
    halves = rows.reshape(heads, 2, -1, *rows.shape[1:])
    return halves.swapaxes(1, 2).reshape(rows.shape)


def add_arrays(writer, architecture, arrays, n_layer):
    """Add arrays under the names that the library has for theirs."""
    kind = next(k for k, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(kind, n_layer)
    for name, array in arrays.items():
        theirs = names.get_name(name, try_suffixes=(".weight", ".bias"))
        assert theirs is not None, name
        writer.add_tensor(theirs, np.ascontiguousarray(array))


def add_sizes(writer, config):
    """Add what every architecture says of itself."""
    writer.add_block_count(config.num_hidden_layers)
    # BLOOM's positions have no bound, but a file says one.
    writer.add_context_length(getattr(config, "max_position_embeddings", 64))
    writer.add_embedding_length(config.hidden_size)
    writer.add_head_count(config.num_attention_heads)
    if hasattr(config, "num_key_value_heads"):
        writer.add_head_count_kv(config.num_key_value_heads)
    if getattr(config, "head_dim", None):
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)
    inner = getattr(config, "intermediate_size", None) or getattr(config, "n_inner", None)
    writer.add_feed_forward_length(inner or 4 * config.hidden_size)
    if hasattr(config, "rms_norm_eps"):
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    for name in ("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"):
        if hasattr(config, name):
            writer.add_layer_norm_eps(getattr(config, name))
    parameters = getattr(config, "rope_parameters", None) or {}
    if "rope_theta" in parameters:
        writer.add_rope_freq_base(parameters["rope_theta"])


def write(path, architecture, model, *, change=None, say=None):
    """Write a model as a file of an architecture.

    `change` makes the arrays what the architecture keeps; `say` adds fields of its own.
    """
    writer = writer_of(path, architecture)
    add_sizes(writer, model.config)
    if say is not None:
        say(writer, model.config)
    arrays = arrays_of(model)
    if change is not None:
        arrays = change(arrays, model.config)
    add_arrays(writer, architecture, arrays, model.config.num_hidden_layers)
    finish(writer)
    return path


def pair_heads(arrays, config):
    """Llama's queries and keys, as llama.cpp keeps them."""
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    return {
        name: next((paired(array, n) for key, n in heads.items() if f".{key}." in name), array)
        for name, array in arrays.items()
    }

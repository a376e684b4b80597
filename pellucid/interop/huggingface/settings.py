"""What a `config.json` says, read field by field, so that none is passed over in silence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.decoder.checks import MOST_LAYERS
from pellucid.errors import PellucidError

REQUIRED: Any = object()

SAYS_NOTHING = frozenset(
    [
        "_attn_implementation",
        "_attn_implementation_autoset",
        "_commit_hash",
        "_flash_attn_2_enabled",
        "_name_or_path",
        "activation_dropout",
        "architectures",
        "attention_dropout",
        "attention_probs_dropout_prob",
        "attn_implementation",
        "attn_pdrop",
        "auto_map",
        "bad_words_ids",
        "begin_suppress_tokens",
        "bos_token_id",
        "cache_implementation",
        "classifier_dropout",
        "decoder_start_token_id",
        "do_sample",
        "dropout",
        "dtype",
        "embd_pdrop",
        "embed_dropout",
        "embedding_dropout",
        "eos_token_id",
        "finetuning_task",
        "forced_bos_token_id",
        "forced_eos_token_id",
        "gradient_checkpointing",
        "hidden_dropout",
        "id2label",
        "init_std",
        "initializer_range",
        "keys_to_ignore_at_inference",
        "label2id",
        "layerdrop",
        "max_length",
        "min_length",
        "model_max_length",
        "model_type",
        "n_ctx",
        "no_repeat_ngram_size",
        "num_beams",
        "output_attentions",
        "output_hidden_states",
        "output_past",
        "output_scores",
        "pad_token_id",
        "prefix",
        "pretraining_tp",
        "problem_type",
        "remove_invalid_values",
        "repetition_penalty",
        "resid_dropout",
        "resid_pdrop",
        "residual_dropout",
        "return_dict",
        "return_dict_in_generate",
        "sep_token_id",
        "summary_activation",
        "summary_first_dropout",
        "summary_proj_to_labels",
        "summary_type",
        "summary_use_proj",
        "suppress_tokens",
        "task_specific_params",
        "temperature",
        "tf_legacy_loss",
        "tokenizer_class",
        "top_k",
        "top_p",
        "torch_dtype",
        "torchscript",
        "transformers.js_config",
        "transformers_version",
        "typical_p",
        "unsloth_fixed",
        "unsloth_version",
        "use_bfloat16",
        "use_cache",
    ]
)
"""Fields of training, of generation, of other tasks: no logit depends on them."""

NEUTRAL: dict[str, tuple[Any, ...]] = {
    "add_cross_attention": (False,),
    "chunk_size_feed_forward": (0,),
    "cross_attention_hidden_size": (),
    "is_decoder": (False, True),
    "is_encoder_decoder": (False,),
    "pruned_heads": ({},),
    "tie_encoder_decoder": (False,),
}
"""Fields of every model, and the values with which they change nothing; null is one always."""


class Settings:
    """A mapping that remembers which of its fields were asked for.

    `done` then refuses what is left: a field that this program does not know may be one that
    changes every logit.
    """

    def __init__(self, fields: Mapping[str, Any], within: str = "") -> None:
        self.fields = fields
        self.within = within
        self.asked: set[str] = set()

    def __call__(self, name: str, default: Any = REQUIRED) -> Any:
        """The value of a field; where it is not there or null, the default.

        Raises:
            PellucidError: it is needed.
        """
        self.asked.add(name)
        value = self.fields.get(name)
        if value is not None:
            return value
        if default is REQUIRED:
            raise PellucidError(f"{self.within}{name} is missing.")
        return default

    def first(self, *names: str, default: Any = REQUIRED) -> Any:
        """The first of several spellings that is there."""
        found = [value for name in names if (value := self(name, None)) is not None]
        return found[0] if found else self(names[0], default)

    def number(self, name: str, default: Any = REQUIRED) -> Any:
        """The same, for a field that is a number.

        Raises:
            PellucidError: it is none, or needed.
        """
        value = self(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refusal(name, "it is not a number")
        return value

    def whole(self, name: str, default: Any = REQUIRED) -> int:
        """The same, for a field that counts something."""
        value = self(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.refusal(name, "it is not a positive whole number")
        return value

    def layers(self, name: str) -> int:
        """The same, for a field that counts layers: of each there may be something to be said."""
        value = self.whole(name)
        if value > MOST_LAYERS:
            raise self.refusal(name, f"it is more than {MOST_LAYERS}")
        return value

    def flag(self, name: str, default: Any = REQUIRED) -> bool:
        """The same, for a field that is true or false."""
        value = self(name, default)
        if not isinstance(value, bool):
            raise self.refusal(name, "it is neither true nor false")
        return value

    def only(self, name: str, *values: Any) -> None:
        """Pass a field over that has one of these values, or is not there.

        Raises:
            PellucidError: it has another.
        """
        if not any(same(self(name, None), value) for value in (None, *values)):
            raise self.refusal(name)

    def refusal(self, name: str, why: str = "") -> PellucidError:
        """The error that names a field with its value."""
        shown = repr(self.fields.get(name))
        shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
        return PellucidError(f"{self.within}{name}={shown} is not honoured{why and f': {why}'}.")

    def done(self) -> None:
        """Say that every field has been asked for that matters.

        Raises:
            PellucidError: one was not, and it is not known to change nothing.
        """
        for name, neutral in NEUTRAL.items():
            self.only(name, *neutral)
        for name, value in self.fields.items():
            if value is not None and name not in self.asked | SAYS_NOTHING:
                raise self.refusal(name, "this program does not know the field")


def same(value: Any, other: Any) -> bool:
    """Whether two JSON values are one; true is not 1."""
    return type(value) is type(other) and value == other

"""The families of models that can be read, by the `model_type` of their `config.json`."""

from pellucid.interop.huggingface.families.bloom import BLOOM
from pellucid.interop.huggingface.families.cohere import COHERE
from pellucid.interop.huggingface.families.falcon import FALCON
from pellucid.interop.huggingface.families.gemma import GEMMA
from pellucid.interop.huggingface.families.gemma2 import GEMMA2
from pellucid.interop.huggingface.families.gemma3 import GEMMA3
from pellucid.interop.huggingface.families.gpt2 import GPT2
from pellucid.interop.huggingface.families.gpt_bigcode import GPT_BIGCODE
from pellucid.interop.huggingface.families.gpt_neo import GPT_NEO
from pellucid.interop.huggingface.families.gpt_neox import GPT_NEOX
from pellucid.interop.huggingface.families.gptj import GPTJ
from pellucid.interop.huggingface.families.granite import GRANITE
from pellucid.interop.huggingface.families.llama import LLAMA
from pellucid.interop.huggingface.families.mistral import MISTRAL
from pellucid.interop.huggingface.families.olmo2 import OLMO2
from pellucid.interop.huggingface.families.opt import OPT
from pellucid.interop.huggingface.families.phi import PHI
from pellucid.interop.huggingface.families.phi3 import PHI3
from pellucid.interop.huggingface.families.qwen2 import QWEN2
from pellucid.interop.huggingface.families.qwen3 import QWEN3
from pellucid.interop.huggingface.families.smollm3 import SMOLLM3
from pellucid.interop.huggingface.families.stablelm import STABLELM
from pellucid.interop.huggingface.families.starcoder2 import STARCODER2
from pellucid.interop.huggingface.family import Family

FAMILIES: dict[str, Family] = {
    "bloom": BLOOM,
    "cohere": COHERE,
    "falcon": FALCON,
    "gemma": GEMMA,
    "gemma2": GEMMA2,
    "gemma3_text": GEMMA3,
    "gpt2": GPT2,
    "gpt_bigcode": GPT_BIGCODE,
    "gpt_neo": GPT_NEO,
    "gpt_neox": GPT_NEOX,
    "gptj": GPTJ,
    "granite": GRANITE,
    "llama": LLAMA,
    "mistral": MISTRAL,
    "olmo2": OLMO2,
    "opt": OPT,
    "phi": PHI,
    "phi3": PHI3,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
    "smollm3": SMOLLM3,
    "stablelm": STABLELM,
    "starcoder2": STARCODER2,
}

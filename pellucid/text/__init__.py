"""Text into ids and back: tokenizers, corpora, training batches and their statistics."""

"""Text on its way into and out of ids: tokenizers, corpora, training batches and their statistics."""

"""GGUF files, as llama.cpp writes them: their settings, their arrays and their tokenizer."""

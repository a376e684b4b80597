"""The model a user holds: configuration, parameters and tokenizer, saved as one folder."""

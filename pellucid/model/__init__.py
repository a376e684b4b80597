"""The model a user holds: configuration, parameters and tokenizer together, saved and loaded as one folder."""

"""Choosing token ids one at a time from the logits of any model."""

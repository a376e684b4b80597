"""The guided tour of one prediction, from text to the next token and back to the gradients."""

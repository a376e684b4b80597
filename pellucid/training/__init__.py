"""Training a model from a corpus by a written recipe, one reproducible step at a time."""

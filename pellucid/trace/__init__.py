"""The named, labelled record of every value and gradient in one run of a model."""

"""A decoder as data: its configuration, the graph of its operations and its named parameters."""

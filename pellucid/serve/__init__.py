"""HTTP for the explorer: a model on this machine, its numbers in the browser."""

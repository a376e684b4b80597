"""The explorer, live: a model on this machine answers a page, by HTTP or in a notebook."""

"""The same jobs done the usual way, each written as its users would write it."""

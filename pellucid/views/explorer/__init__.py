"""The explorer: one HTML file in which every number answers."""

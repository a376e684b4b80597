"""The `pellucid` command line."""

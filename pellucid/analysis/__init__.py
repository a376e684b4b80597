"""What is found out by running a model several times, or by reading a trace with its weights."""

"""What each view shows: from a trace, a training or a generation to blocks, for every medium."""

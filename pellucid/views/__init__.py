"""What a reader sees: scenes built from data and rendered for each medium."""

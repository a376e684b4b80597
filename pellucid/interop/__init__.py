"""Models and tokenizers in the formats of other libraries, read and written."""

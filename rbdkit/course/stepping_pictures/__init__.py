"""Pictures to play with of the notebooks on stepping, one idea a file."""

"""Pictures to play with, one idea of Featherstone's book a file; the notebooks of the course open with them."""

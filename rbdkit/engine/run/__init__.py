"""Programs at work: machine code or Python, kept on disk, bound to the arrays of a model."""

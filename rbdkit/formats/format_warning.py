"""What a reader or writer has to say without failing."""


class FormatWarning(UserWarning):
    """A file was read or written, but something in it was mended, is missing, or had to be left out."""

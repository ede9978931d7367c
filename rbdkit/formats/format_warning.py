"""What a reader or writer has to say without failing."""


class FormatWarning(UserWarning):
    """A file was read or written, but something in it was mended, is missing, or had to be left out.

    Examples
    --------
    >>> import warnings
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import FormatWarning, to_urdf
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", FormatWarning)
    ...     try:
    ...         to_urdf(rbd.Model("moon", gravity=(0, 0, -1.62)))
    ...     except FormatWarning as warning:
    ...         print(warning)
    left out, URDF has no place for it:
      gravity [0.0, 0.0, -1.62]; give it when loading: load(..., gravity=...)
    """

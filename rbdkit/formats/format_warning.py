"""The warning of readers and writers of files."""


class FormatWarning(UserWarning):
    """Warning that something in a file was repaired, is missing, or had to be left out on reading or writing.

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

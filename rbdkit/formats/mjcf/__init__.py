"""MJCF, MuJoCo's format: read by MuJoCo itself, whose compiled model becomes a `Model`; and written."""

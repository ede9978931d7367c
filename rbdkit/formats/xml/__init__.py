"""XML as robot files have it: read with line numbers, numbers in it, written."""

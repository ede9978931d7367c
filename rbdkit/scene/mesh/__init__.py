"""Mesh files: STL, OBJ and DAE as triangles, read once and reduced to a budget."""

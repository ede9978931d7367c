"""URDF: documents read link by link into a tree and a `Model`, and models written."""

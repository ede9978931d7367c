"""Models as JSON: written without loss, read with the place of every fault."""

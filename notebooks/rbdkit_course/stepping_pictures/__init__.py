"""Interactive pictures of the notebooks on time integration, each module for one idea."""

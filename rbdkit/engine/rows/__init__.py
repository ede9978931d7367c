"""What constrains the motion of a tree: which rows of constraints count, and how far joints are open."""

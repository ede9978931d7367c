"""The builder: a model made by hand, its tree, its form, its posture and its findings beside the picture."""

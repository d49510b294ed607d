"""What avatars are still good for: variables, associations, principal space, a discriminator, learning, survival.

Figures come beside their reference (the holdout in place of the avatars) and their interval; what could not be computed
is a `NotComputed` with its reason. Everything is an aggregate of frozen dataclasses, numbers and texts.
"""

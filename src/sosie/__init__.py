"""sosie turns a pseudonymised table into avatars from which nobody can be found again, and measures it."""

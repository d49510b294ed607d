"""Tables larger than memory: block files, batches and their executors, an external shuffle, metrics that merge."""

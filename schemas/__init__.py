"""The contracts at the edges: configuration, targets, metrics, manifest, checked tables."""

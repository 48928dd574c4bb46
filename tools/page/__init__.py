"""What `tools/shopmark report --html` is made of: one file with figures, for a browser without a
network."""

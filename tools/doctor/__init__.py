"""What `tools/shopmark doctor` is made of."""

"""What `tools/shopmark aa` is made of: the suite against itself, for what it says of the
machine."""

"""What `tools/shopmark aa` is made of: the suite against itself, and what that says of the machine."""

"""What `tools/shopmark history` is made of: a folder of runs, and pure functions from those to the
course of each case."""

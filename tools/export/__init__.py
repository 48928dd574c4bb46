"""What `tools/shopmark export` is made of: pure functions from a run to other programs' formats."""

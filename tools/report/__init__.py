"""What `tools/shopmark report` is made of: pure functions from a run's JSON to a table."""

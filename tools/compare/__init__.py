"""What `tools/shopmark compare` is made of: pure functions from two sides' runs to verdicts."""

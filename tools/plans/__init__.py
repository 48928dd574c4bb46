"""What `tools/shopmark plans` is made of, and what other commands show of plans and work."""

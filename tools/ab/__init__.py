"""What `tools/shopmark ab` is made of: two sides measured in turns, in rounds, until it is clear."""

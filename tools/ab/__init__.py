"""What `tools/shopmark ab` is made of: two sides in turns, round after round, until it is
clear."""

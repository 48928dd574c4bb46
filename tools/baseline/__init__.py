"""What `tools/shopmark baseline` is made of: the run that later ones are compared with."""

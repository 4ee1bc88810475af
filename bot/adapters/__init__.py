"""One folder for each outside thing; adapters never import each other."""

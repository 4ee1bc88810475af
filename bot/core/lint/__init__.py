"""What is wrong with guides, told to their authors before anybody plays them."""

"""What plasmode worlds are made of: lists like real ones, and an ordinal law fitted to real labels."""

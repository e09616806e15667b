"""Where losses whose weights follow the ranking come to rest, proven."""

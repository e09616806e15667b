"""Evidence checked anew, apart from the rules and the search that found it."""

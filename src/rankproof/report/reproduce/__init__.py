"""The experiments of the papers behind the library, on any folds in the LETOR layout."""

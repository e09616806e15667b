"""LETOR files and folders of folds: read and written."""

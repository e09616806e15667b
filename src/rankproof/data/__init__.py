"""In and out of the package: files, frames, and the one container for ranking data."""

"""Readers: rankers and the engines' own model files, one kind a file, each as a form."""

"""The command line: one command a file, loaded when asked for."""

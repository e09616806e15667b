"""Evaluators: one format a file, each by the rule of its consumer. They share no code with the writers."""

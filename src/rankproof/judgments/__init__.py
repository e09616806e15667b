"""Repeated and soft judgments: laws of the labels estimated from several judges, and expected targets."""

"""Scoring with a saved model in a service, without what training needs."""

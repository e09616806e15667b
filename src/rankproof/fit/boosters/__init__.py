"""Fitted models of the engines: their files and their scores, without what training needs."""

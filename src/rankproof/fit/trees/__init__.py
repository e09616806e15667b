"""Boosted trees through LightGBM, XGBoost and CatBoost."""

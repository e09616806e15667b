"""Our losses and metrics inside people's own LightGBM, XGBoost and CatBoost training code."""

"""The ranking objectives of LightGBM, XGBoost and CatBoost as shipped: names, parameters, formulas."""

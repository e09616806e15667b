"""Data in any form: CSV, Parquet, Arrow, NumPy and LETOR files, told apart by their content."""

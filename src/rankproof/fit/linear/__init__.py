"""Linear rankers, with the solvers behind them."""

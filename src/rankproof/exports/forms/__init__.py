"""What every format is written from: trees, a linear function or a small network, exact in raw features."""

"""What benchmarks and studies share; nothing here is a script."""

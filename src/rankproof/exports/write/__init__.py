"""Writers: one format a file. None of them reads what it wrote; that is done in ``check``."""

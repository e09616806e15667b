"""Compiled loops: the only folder that imports numba.

A kernel is a pure function on flat arrays and a half-open range of queries (or bytes). It is compiled once,
cached on disk, releases the GIL, and is run over chunks by `rankproof.threads`. What a kernel computes
for one query never depends on the chunk it is in, so results have the same bits for any number of threads.
"""

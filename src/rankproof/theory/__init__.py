"""Is a loss consistent with a metric? Verdicts, their evidence, and the checker that stands apart from both.

A folder imports only those before it: arithmetic, custom, shipped, base, formulas, noise, minima,
rest_points, existence, replay, search, rules; then the files beside them. So `replay` reaches neither
`search` nor `rules`.
"""

"""Price lists in: read (`reading`), understand (`columns`, `numbers`, `matching`), check (`preview`), then apply (`catalog.actions`).

Nothing is guessed in silence: what a file leaves open is a question with its answers, what looks wrong is flagged and waits.
"""

"""What decisions cost on this machine: time, memory, and both against another engine.

Nothing here is imported by a decision; mlx-lm itself only by a comparison with it.
"""

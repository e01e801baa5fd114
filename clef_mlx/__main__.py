"""``python -m clef_mlx``."""

from .cli import main

main(prog_name="python -m clef_mlx")

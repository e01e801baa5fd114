"""Pictures and clips as callers give them to the patches and positions that the model reads."""

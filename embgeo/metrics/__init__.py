"""Tensors in, numbers out: one module per family, and the catalogue that describes each number.

Nothing is imported here, so that a page can read the catalogue without waiting for torch.
"""

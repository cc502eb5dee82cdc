"""Frames in, Altair charts out: one palette, one theme, one visual grammar.

Read in this order: palette, numbers, theme, heatmaps, image, steps, norms, cosines, spectrum.
A chart knows the documented columns of its frame and nothing of where the frame came from.
"""

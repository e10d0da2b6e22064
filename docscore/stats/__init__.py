"""Confidence intervals, significance tests and calibration over documents."""

"""Constants of histograms, densities and calibration."""

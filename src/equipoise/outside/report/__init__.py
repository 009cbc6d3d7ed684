"""The report: one HTML file that can be filed, printed and read on a phone, and the pictures in it."""

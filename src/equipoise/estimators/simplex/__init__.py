"""Models in few columns, drawn instead of blurred; and experts followed in rounds."""

"""Other libraries' estimators, made private by what their caller states of them."""

"""A released model together with the schema it was learnt by: it predicts from tables as they are."""

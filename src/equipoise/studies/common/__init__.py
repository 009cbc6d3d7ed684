"""What the studies share: claims, tables, looks, points that are kept and resumed."""

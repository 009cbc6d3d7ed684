"""OPENS PRIVATE VALUES, for synthetic data only: releases replayed with their noise frozen."""

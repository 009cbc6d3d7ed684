"""What can be put under audit: our own releases, strangers' estimators, stored models, services."""

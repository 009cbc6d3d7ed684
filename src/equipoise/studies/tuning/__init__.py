"""The tuning study, after Chaudhuri and Vinterbo 2013."""

"""The prediction study, after Dwork and Feldman 2018."""

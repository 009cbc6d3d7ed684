"""Jain and Thakurta 2014 again: does privacy get worse with the number of columns?"""

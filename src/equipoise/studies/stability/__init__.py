"""Watson, Rozemberczki and Sarkar 2020 again: does a steadier algorithm need less noise?"""

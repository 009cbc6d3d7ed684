"""The warfarin study of Wu, Fredrikson, Wu, Jha, Naughton 2015."""

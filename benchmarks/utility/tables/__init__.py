"""Real tables, each with a public encoding written by hand; the file's name says where they come from."""

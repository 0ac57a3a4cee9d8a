"""TO WRITE: authors (year): what the study is about."""

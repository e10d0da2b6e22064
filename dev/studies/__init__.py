"""Published results computed again: a script for each study, which takes the path of a clone of its repository."""

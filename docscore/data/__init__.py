"""Read rows from files and Python objects, check them and pair them."""

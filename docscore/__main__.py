"""`python -m docscore`, the same as the command `docscore`."""

from docscore.cli import main

main()

"""`python -m docscore`, the same as the command `docscore`."""

from docscore.cli.entry_point import main

main()

"""Run the command `docscore` as `python -m docscore`."""

from docscore.cli import main

main()

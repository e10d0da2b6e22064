"""The command `docscore register`."""

import click

from docscore.cli.options import Command, ending
from docscore.integrations.evaluate import MODULES, register


@click.command(name="register", cls=Command, epilog=ending("docscore register", where="anywhere"))
@click.option("--remove", is_flag=True, help="Remove the metrics that were registered.")
def register_command(*, remove: bool) -> None:
    """Make `evaluate.load("anls_star")` work on this machine, and also for kieval, entity_f1 and nted.

    `evaluate.load` looks for a name on the Hub first and then in its cache of modules. This command puts a small file
    for each metric into that cache, which HF_HOME and HF_MODULES_CACHE can move. The files load the docscore that is
    installed, so you do not need to register again after an upgrade.
    """
    folder = register(remove=remove)
    action, where = ("Removed", "from") if remove else ("Registered", "in")
    click.echo(f"{action} {', '.join(MODULES)} {where} {folder}")

"""`grader serve`: the review room."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.common import bank_option, isolation_options, open_bank, say


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--as", "name", metavar="NAME", help="Who you are; by default the name that you are logged in with.")
@click.option("--users", type=click.Path(path_type=Path), metavar="FILE", help="A users.toml: people sign in.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8017, show_default=True, help="0 takes a free one.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="What the room is called in browsers, if not so.")
@click.option("--cert", type=click.Path(path_type=Path), metavar="FILE", help="A certificate, so that it speaks TLS.")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="The key of the certificate.")
@click.option("--tls-terminated", is_flag=True, help="A proxy before the room speaks TLS.")
@click.option("--browser", is_flag=True, help="Open it in the browser.")
@isolation_options
@bank_option
def serve(
    results: Path,
    name: str | None,
    users: Path | None,
    host: str,
    port: int,
    names: tuple[str, ...],
    cert: Path | None,
    key: Path | None,
    tls_terminated: bool,
    browser: bool,
    weakest: object,
    folders: tuple[Path, ...],
) -> None:
    """Open the review room: the marks, reports and comparisons of RESULTS in a browser.

    RESULTS is a folder that `grader batch` wrote. Without --users the room is for you alone, and the link that is
    printed lets you in; beyond this machine it needs users and TLS. Ctrl-C closes it, and nothing is lost.

    Exit status: 0 closed; 2 the call, the question or a file is wrong; 3 a fault of the grader.
    """
    from grader.commands.mark import login
    from grader.errors import CallError
    from grader.marks import Marks
    from grader.results import Results
    from grader.sandbox.tiers import Tier

    try:
        from grader.review import access, server
        from grader.review.app import create
        from grader.review.queue import Queue
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("starlette", "uvicorn", "h11"):
            raise CallError(
                "the review room needs an extra",
                found=f"no module {error.name}",
                next_step="pip install 'takehome-grader[web]'",
            ) from None
        raise
    if bool(cert) != bool(key):
        raise click.UsageError("--cert and --key go together.")
    if users and name:
        raise click.UsageError("--as and --users exclude each other: people sign in under their own names.")
    address = server.Address(host, port, cert, key, tls_terminated)
    access.check_address(host, users, address.secure, names)
    found = Results.open(results)
    bank = open_bank(folders)
    bank.get(found.manifest.question)  # told here, and not on the first page
    called, secure = (*names, host), address.secure
    if users:
        way = access.with_users(users, results, names=called, secure=secure)
    else:
        me = Marks.open(found).person(name or login())
        way = access.single(me, results, names=called, secure=secure)
    assert isinstance(weakest, Tier)
    app = create(results, way, bank.get, Queue(results, folders, weakest.value))

    def ready(base: str) -> None:
        link = base + "/" if users else way.link(base)
        click.echo(f"The review room of {results} is open: {link}")
        say("Ctrl-C closes it." if users else "The link is for you alone. Ctrl-C closes the room.")
        if browser:
            import webbrowser

            webbrowser.open(link)

    server.run(app, address, ready)

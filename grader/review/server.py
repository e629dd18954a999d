"""Running a room: uvicorn in this process, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.errors import CallError

if TYPE_CHECKING:
    import socket

    import uvicorn
    from starlette.applications import Starlette

MOST_CONNECTIONS: Final = 400
IDLE_SECONDS: Final = 5
CLOSING_SECONDS: Final = 2  # live streams of progress never end by themselves


@dataclass(frozen=True)
class Address:
    """Where a room is: host and port, 0 for one that is free; the files of a certificate, or that a proxy has one."""

    host: str = "127.0.0.1"
    port: int = 8017
    certificate: Path | None = None
    key: Path | None = None
    terminated: bool = False

    @property
    def secure(self) -> bool:
        """Whether browsers reach it over TLS."""
        return self.certificate is not None or self.terminated


def run(app: Starlette, address: Address, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        app: the room.
        address: where it is.
        ready: is called with the room's own address as soon as it answers.

    Raises:
        CallError: the address can't be listened at, or the certificate can't be read.
    """
    import socket
    import ssl

    import uvicorn

    from grader.review import patience

    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address.host, address.port))
    except OSError as error:
        listening.close()
        raise CallError(
            "the room can't be opened at this address",
            where=f"{address.host}:{address.port}",
            found=error.strerror or str(error),
            next_step="Is another one open? --port 0 takes any port that is free.",
        ) from None
    try:
        config = uvicorn.Config(
            app,
            http=patience.Patient,
            ssl_certfile=address.certificate,
            ssl_keyfile=address.key,
            log_config=None,
            access_log=False,  # the opening link has a token in it
            server_header=False,
            proxy_headers=address.terminated,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=CLOSING_SECONDS,
            h11_max_incomplete_event_size=patience.MOST_HEAD,
            ws="none",
        )
        config.load()
    except (OSError, ssl.SSLError) as error:
        listening.close()
        raise CallError(
            "this certificate or its key can't be read", where=str(address.certificate), found=str(error)
        ) from None
    scheme = "https" if address.certificate else "http"
    host = f"[{address.host}]" if family == socket.AF_INET6 else address.host
    base = f"{scheme}://{host}:{listening.getsockname()[1]}"
    asyncio.run(_serve(config, listening, base, ready))


async def _serve(config: uvicorn.Config, listening: socket.socket, base: str, ready: Callable[[str], None]) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        """Closes on a signal, which is what somebody wants of it, and no failure."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, self.handle_exit, number, None)
            yield

    server = Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[listening]))
    while not (server.started or serving.done()):
        await asyncio.sleep(0.02)
    if server.started:
        ready(base)
    await serving

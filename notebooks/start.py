"""Set rbdkit up and open JupyterLab on the front door of the course.

python3 notebooks/start.py            sets up .venv the first time, then opens the browser, or says the address
python3 notebooks/start.py --check    the same without a person: JupyterLab comes up, the notebook runs to its end
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / ".ci"))

import environment

NOTEBOOKS = environment.ROOT / "notebooks"
FIRST = "index.ipynb"
TOKEN = secrets.token_hex(16)
PATIENCE = 120.0  # seconds for JupyterLab to answer; a cold start on a slow disk takes long


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="run the job without a browser and report by exit status")
    parser.add_argument("--port", type=int, help="port to use instead of the first free one from 8888 on")
    options = parser.parse_args()
    if not (NOTEBOOKS / FIRST).exists():
        raise SystemExit(f"{NOTEBOOKS / FIRST} is missing: this is not a complete copy of the repository.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leave through the finally clauses, as Ctrl+C does
    python = environment.ensure(["lab", "robots"])
    port = options.port or free_port(0 if options.check else 8888)
    try:
        return check(python, port) if options.check else serve(python, port)
    except KeyboardInterrupt:
        return 130


def serve(python: Path, port: int) -> int:
    """Run JupyterLab until it is stopped; open a browser where there is a screen to show it on."""
    screen = has_display()
    with jupyterlab(python, port, browser=screen) as lab:
        print(
            f"\n{'If no browser opened, open' if screen else 'Open'} this address:\n\n"
            f"    http://localhost:{port}/lab/tree/{FIRST}?token={TOKEN}\n"
        )
        if not screen:
            print(
                f"From another machine: ssh -L {port}:localhost:{port} {socket.gethostname()}, "
                "then the same address there."
            )
        print("Stop with Ctrl+C.", flush=True)
        return lab.wait()


def check(python: Path, port: int) -> int:
    """Start the same JupyterLab, ask it for the notebook, run the notebook from top to bottom, stop."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "jupyterlab.log")
        with open(log, "w", encoding="utf-8") as output:
            try:
                with jupyterlab(python, port, browser=False, output=output):
                    fetch(port, f"lab/tree/{FIRST}")
                    served = json.loads(fetch(port, f"api/contents/{FIRST}?content=0"))
                    print(f"JupyterLab is up at port {port} and serves {served['name']}.", flush=True)
                    return execute(python, folder)
            except (SystemExit, urllib.error.URLError):
                print(log.read_text(encoding="utf-8"), file=sys.stderr)
                raise


def execute(python: Path, folder: str) -> int:
    """Run the first notebook in the environment that JupyterLab uses; its executed copy goes to the folder."""
    begun = time.monotonic()
    code = subprocess.run(
        [
            python,
            "-m",
            "jupyter",
            "nbconvert",
            "--to",
            "notebook",
            "--execute",
            "--log-level=WARN",
            "--output-dir",
            folder,
            NOTEBOOKS / FIRST,
        ],
        env=environment.activated(),
    ).returncode
    took = time.monotonic() - begun
    print(f"{FIRST} {'failed' if code else 'ran to its end'} after {took:.1f} s.", flush=True)
    return code


@contextmanager
def jupyterlab(python: Path, port: int, browser: bool, output: IO[str] | None = None) -> Iterator[subprocess.Popen]:
    """JupyterLab, answering, for the length of a with block."""
    command: list[str | Path] = [
        python,
        "-m",
        "jupyterlab",
        NOTEBOOKS / FIRST,
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--ServerApp.log_level=WARN",
        "--LabApp.log_level=WARN",
        "-y",
    ]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    lab = subprocess.Popen(command, env=environment.activated(JUPYTER_TOKEN=TOKEN), stdout=output, stderr=output)
    try:
        wait_until_up(lab, port)
        yield lab
    finally:
        lab.terminate()
        lab.wait()


def wait_until_up(lab: subprocess.Popen, port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if lab.poll() is not None:
            raise SystemExit(f"JupyterLab stopped with exit status {lab.returncode} before it was up.")
        try:
            fetch(port, "api/status")
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    raise SystemExit(f"JupyterLab did not answer within {PATIENCE:.0f} s.")


def fetch(port: int, path: str) -> bytes:
    """What JupyterLab answers; straight to it, whatever proxy the machine has."""
    request = urllib.request.Request(f"http://localhost:{port}/{path}", headers={"Authorization": f"token {TOKEN}"})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(request, timeout=30) as answer:
        return answer.read()


def has_display() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def free_port(first: int) -> int:
    """The first free port from the given one on; any free one for 0."""
    for port in range(first, first + 100) if first else [0]:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return probe.getsockname()[1]
    raise SystemExit(f"No free port from {first} to {first + 99}; choose one with --port.")


if __name__ == "__main__":
    sys.exit(main())

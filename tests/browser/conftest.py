"""A real JupyterLab and a headless Chromium, as fixtures.

`lab` and `chromium` live for the whole run; the tests of one file share a page. Pictures go to `artefacts/` beside this
file. Chromium is looked for on the path, or taken from the environment variable CHROMIUM.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
ARTEFACTS = HERE / "artefacts"

# --disable-gpu: WebGL is drawn in software either way, and composing the page is far cheaper without.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
]

# Console warnings and errors that are not ours, by a part of their text, with the reason; any other fails the test.
KNOWN = {
    "of shared singleton module @lumino/coreutils (required ^1.11.0)": "pythreejs asks for an old one; harmless",
    "is taking too long to activate": "JupyterLab times the start of its own plug-ins; a busy machine is slow",
    "ms to activate.": "the same, when such a plug-in has come",
    "Connection lost, reconnecting in 0 seconds.": "a kernel was restarted, which JupyterLab tells",
    "GPU stall due to ReadPixels": "pythreejs reads what a view that stands still shows; slow in software",
}

# Counts the pictures that WebGL draws: each begins by clearing the canvas.
COUNT_PICTURES = """
window.pictures_drawn = 0;
for (const context of [WebGLRenderingContext, WebGL2RenderingContext]) {
  const clear = context.prototype.clear;
  context.prototype.clear = function (mask) { window.pictures_drawn += 1; return clear.call(this, mask); };
}
"""

# What was asked of Python by a slider or a handle is answered.
ANSWERED = """!document.querySelector(".rbd-panel[data-busy=true]")
    && ![...document.querySelectorAll(".rbd-view")].some((view) => view.core?.drag_sent)"""

# anywidget reports a widget that is not set up in two seconds, as one may be on a busy machine.
PATIENCE = """
const timeout = AbortSignal.timeout;
AbortSignal.timeout = (milliseconds) => timeout.call(AbortSignal, 10 * milliseconds);
"""

KERNEL = "jupyterapp.shell.currentWidget.sessionContext"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


@contextmanager
def serving(module: str, *options: str, folders: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of a running Jupyter server without user settings, and its folder; {root} and {port} stand in options."""
    root, home = folders.mktemp("notebooks"), folders.mktemp("jupyter")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = home / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    built = home / "config" / "labconfig" / "page_config.json"
    built.parent.mkdir(parents=True)
    built.write_text('{"buildCheck": false}')  # else every page that opens asks npm whether JupyterLab is to be built
    package = HERE.parents[1]
    env = dict(
        os.environ,
        PYTHONPATH=os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")]),
        JUPYTER_CONFIG_DIR=str(home / "config"),
        JUPYTER_DATA_DIR=str(home / "data"),
        JUPYTER_RUNTIME_DIR=str(home / "runtime"),
        JUPYTERLAB_SETTINGS_DIR=str(home / "settings"),
        JUPYTERLAB_WORKSPACES_DIR=str(home / "workspaces"),
        IPYTHONDIR=str(home / "ipython"),
    )
    command = [sys.executable, "-m", module, *(option.format(root=root, port=port) for option in options)]
    with (home / "server.log").open("w") as log:
        server = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=5)
            break
        except OSError:
            assert server.poll() is None, (home / "server.log").read_text()
            time.sleep(0.1)
    yield url, root
    os.killpg(server.pid, signal.SIGTERM)
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)


OPEN_TO_ALL = (
    "--no-browser",
    "--allow-root",
    "--port={port}",
    "--ServerApp.port_retries=0",
    "--ServerApp.ip=127.0.0.1",
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--ServerApp.root_dir={root}",
    "--ServerApp.disable_check_xsrf=True",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of a running JupyterLab without user settings, and its folder."""
    options = (*OPEN_TO_ALL, "--LabApp.expose_app_in_browser=True")
    with serving("jupyterlab", *options, folders=tmp_path_factory) as found:
        yield found


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium from the system."""
    api = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.fail("browser tests need Chromium: apt install chromium, or set CHROMIUM to its path")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        yield browser
        browser.close()


class Notebook:
    """A notebook in a page of JupyterLab, or of Notebook 7.

    place : where a notebook is found below the server's address.
    faults : what the page's console reported as warnings and errors, less the known ones.
    """

    def __init__(self, page, url: str, root: Path, place: str) -> None:
        self.page, self.url, self.root, self.place = page, url, root, place
        self.faults: list[str] = []
        self.cells: tuple[str, ...] = ()
        page.add_init_script(COUNT_PICTURES + PATIENCE)
        page.on("console", lambda message: self._note(message.text) if message.type in ("warning", "error") else None)
        page.on("pageerror", lambda error: self._note(str(error)))

    def _note(self, text: str) -> None:
        if not any(known in text for known in KNOWN):
            self.faults.append(text)

    def check_console(self) -> None:
        """Fail on what the console reported since the last check."""
        faults, self.faults = self.faults, []
        assert not faults, "the console reports: " + "; ".join(faults)

    # --- notebook ---------------------------------------------------------------------------------------------------

    def open(self, *cells: str, name: str = "test.ipynb") -> None:
        """A notebook with these cells, its kernel started, nothing run yet."""
        import nbformat  # slow to load, and not needed to find the tests

        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, self.root / name)
        self.visit(name)

    def visit(self, name: str) -> None:
        """Open a notebook that lies in the server's folder."""
        self.page.goto(f"{self.url}/{self.place.format(name)}", wait_until="domcontentloaded")
        self.wait_for_kernel()

    def wait_for_kernel(self) -> None:
        """Wait until the notebook has a kernel that answers."""
        ready = f"() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel && {KERNEL}.isReady"
        self.page.wait_for_function(ready, timeout=60_000)
        self.page.evaluate(f"async () => {{ await {KERNEL}.ready; await {KERNEL}.session.kernel.info; }}")

    def command(self, name: str) -> None:
        """Run a JupyterLab command; clicking menus is less reliable."""
        self.page.evaluate("name => jupyterapp.commands.execute(name)", name)

    def run_all(self) -> None:
        """Run all cells and wait until views of an earlier run are gone; fails on an error in a cell."""
        self.page.evaluate("document.querySelectorAll('.rbd-view').forEach(view => { view.dataset.ready = 'old'; })")
        self.command("notebook:run-all-cells")
        self.wait_idle()
        self.page.wait_for_function("!document.querySelector('.rbd-view[data-ready=old]')")
        failed = self.page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']")
        assert not failed.count() or "Error" not in failed.first.inner_text(), failed.first.inner_text()

    def leave(self) -> None:
        """Clear the outputs and close the notebook."""
        if self.page.url.startswith(self.url):
            self.command("notebook:clear-all-cell-outputs")
            self.page.wait_for_function("!document.querySelector('.rbd-view, .rbd-panel')")
            self.wait_idle()
            self.page.evaluate("jupyterapp.shell.currentWidget.dispose()")
            self.page.wait_for_function("!document.querySelector('.jp-NotebookPanel')")

    def run(self, *cells: str) -> None:
        """A notebook with these cells, run to its end; one that is open already is only run again."""
        if cells != self.cells:
            self.open(*cells)
            self.cells = cells
        self.run_all()

    def wait_idle(self) -> None:
        """Wait until the kernel has nothing to do."""
        self.python("None")

    def python(self, code: str) -> str:
        """Run code in the notebook's kernel, outside any cell; what it prints, or the error."""
        script = f"""async code => {{
            const future = {KERNEL}.session.kernel.requestExecute({{ code, store_history: false }});
            let text = '';
            future.onIOPub = message => {{
                if (message.header.msg_type === 'stream') text += message.content.text;
                if (message.header.msg_type === 'error') text += message.content.ename + ': ' + message.content.evalue;
            }};
            await future.done;
            return text;
        }}"""
        return self.page.evaluate(script, code).strip()

    def value(self, expression: str) -> float:
        """A number from the kernel."""
        return float(self.python(f"print(float({expression}))"))

    def reaches(self, expression: str, target: float) -> float:
        """A number from the kernel, asked again until it equals the target (a number or `pytest.approx`), or 5 s."""
        for _ in range(40):
            if (number := self.value(expression)) == target:
                break
            self.page.wait_for_timeout(125)
        return number

    def theme(self, name: str) -> None:
        """Switch to 'JupyterLab Dark' or 'JupyterLab Light'."""
        self.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        light = "false" if "Dark" in name else "true"
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")

    # --- views ------------------------------------------------------------------------------------------------------

    def view(self, number: int = 0):
        """The n-th view on the page, once it is drawn."""
        view = self.page.locator(".rbd-view").nth(number)
        self.page.locator(".rbd-view[data-ready=true]").nth(number).wait_for(timeout=30_000)
        self.settle()
        return view

    def settle(self, milliseconds: int = 250) -> None:
        """Wait until Python has answered what was asked for; let messages arrive and pictures be drawn."""
        self.page.wait_for_function(ANSWERED)
        self.wait_idle()
        self.page.wait_for_timeout(milliseconds)

    def poses(self, number: int = 0) -> np.ndarray:
        """World poses (nodes, 4, 4) of the objects that the n-th view really draws."""
        script = """view => view.core.graph.nodes.map(node => {
            node.updateMatrixWorld(true);
            return [...node.matrixWorld.elements];
        })"""
        elements = self.view(number).evaluate(script)
        return np.array(elements).reshape(-1, 4, 4).transpose(0, 2, 1)

    def frames_drawn(self, milliseconds: int) -> int:
        """How many pictures all views draw in that time."""
        before = self.page.evaluate("window.pictures_drawn")
        self.page.wait_for_timeout(milliseconds)
        return self.page.evaluate("window.pictures_drawn") - before

    def picture(self, number: int = 0) -> np.ndarray:
        """Pixels (height, width, 3) of the n-th view's 3D canvas, without what lies over it."""
        canvas = self.view(number).locator(".rbd-canvas")
        canvas.scroll_into_view_if_needed()
        self.page.wait_for_function("canvas => canvas.dataset.state !== 'moving'", arg=canvas.element_handle())
        hidden = ".rbd-tools, .rbd-compass, .rbd-scale, .rbd-names { visibility: hidden !important; }"
        hidden += ".rbd-view::after { display: none !important; }"  # the ring of the focus
        return pixels(canvas.screenshot(style=hidden))[2:-2, 2:-2]  # less the border, which may fall between two pixels

    def keep(self, name: str, locator=None) -> Path:
        """A picture of the page, or of a part of it, for people to look at."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"{name}.png"
        (locator or self.page).screenshot(path=path)
        return path


def pixels(png: bytes) -> np.ndarray:
    """A PNG as an integer array (height, width, 3)."""
    from matplotlib.image import imread

    return np.round(imread(io.BytesIO(png))[..., :3] * 255.0).astype(int)


@contextmanager
def book_in(server: tuple[str, Path], chromium, place: str) -> Iterator[Notebook]:
    """A page for notebooks of a server; its kernels are shut down afterwards."""
    url, root = server
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    book = Notebook(context.new_page(), url, root, place)
    yield book
    book.leave()
    context.close()
    book.check_console()
    for session in json.load(urllib.request.urlopen(f"{url}/api/sessions")):
        urllib.request.urlopen(urllib.request.Request(f"{url}/api/sessions/{session['id']}", method="DELETE"))


@pytest.fixture(scope="module")
def page(lab, chromium) -> Iterator[Notebook]:
    """A page of JupyterLab for the tests of one file."""
    with book_in(lab, chromium, "doc/tree/{}?reset") as book:
        yield book
        theme = "{ theme: 'JupyterLab Light' }"  # which the server keeps for the next file
        book.page.evaluate(f"() => window.jupyterapp?.commands.execute('apputils:change-theme', {theme})")


@pytest.fixture
def notebook(page: Notebook) -> Iterator[Notebook]:
    """The file's page of JupyterLab; unknown warnings and errors in its console fail the test."""
    yield page
    page.check_console()


@pytest.fixture
def notebook_7(chromium, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    """The same in Notebook 7."""
    pytest.importorskip("notebook", "7.0", reason="this test needs Notebook 7: pip install notebook")
    options = (*OPEN_TO_ALL, "--JupyterNotebookApp.expose_app_in_browser=True")
    with serving("notebook", *options, folders=tmp_path_factory) as server:  # noqa: SIM117 (as one line it is too long)
        with book_in(server, chromium, "notebooks/{}") as book:
            yield book
            book.check_console()


@pytest.fixture
def voila(chromium, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address of a running Voila, and its folder."""
    pytest.importorskip("voila", reason="this test needs Voila: pip install voila")
    options = ("--no-browser", "--port={port}", "--Voila.ip=127.0.0.1", "{root}")
    with serving("voila", *options, folders=tmp_path_factory) as server:
        yield server


@pytest.fixture
def changed():
    """How much of a picture changed: the share of pixels that differ by more than 20 of 255."""

    def share(before: np.ndarray, after: np.ndarray) -> float:
        return float((np.abs(before - after).max(axis=-1) > 20).mean())

    return share

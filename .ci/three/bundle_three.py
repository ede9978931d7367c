"""Build the three.js that exported pages carry: ``python .ci/three/bundle_three.py``. Needs npm.

The versions are those of package.json beside this file. The bundle goes to rbdkit/export/js, and what it is made of is
written to built.json, which the tests compare with the bundle that they find.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLE = HERE.parents[1] / "rbdkit" / "export" / "js" / "three.min.js"


def build() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("entry.js", "package.json"):
            shutil.copy(HERE / name, folder)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=folder, check=True)
        made = ["--bundle", "--minify", "--format=iife", "--global-name=THREE", "--legal-comments=inline"]
        esbuild = Path(folder) / "node_modules" / "esbuild" / "bin" / "esbuild"
        subprocess.run([esbuild, "entry.js", *made, f"--outfile={BUNDLE}"], cwd=folder, check=True)
        shutil.copy(Path(folder) / "node_modules" / "three" / "LICENSE", BUNDLE.with_name("three.LICENSE.txt"))
    wanted = json.loads((HERE / "package.json").read_text())
    record = {
        "three": wanted["dependencies"]["three"],
        "esbuild": wanted["devDependencies"]["esbuild"],
        "sha256": hashlib.sha256(BUNDLE.read_bytes()).hexdigest(),
    }
    (HERE / "built.json").write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    build()

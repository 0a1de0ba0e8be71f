"""Runs example scripts as their readers would. The words: `apart`, each by itself, or `together`, each with what the
ones before it left behind, as cells of a notebook; then the scripts. Lines that import letta_client import memoir_client
instead. The last line printed is JSON: what each script printed, by its name."""

import io
import json
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path


def run(path, names):
    source = re.sub(r"^from letta_client\b", "from memoir_client", path.read_text(), flags=re.MULTILINE)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(source, str(path), "exec"), names)
    return printed.getvalue()


way, *scripts = sys.argv[1:]
shared = {"__name__": "__main__"}
printed = {path.name: run(path, shared if way == "together" else dict(shared)) for path in map(Path, scripts)}
print(json.dumps(printed))

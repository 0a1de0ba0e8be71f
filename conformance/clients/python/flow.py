"""What the scripts here share. Each drives one generation of the official client against the server whose address is its
first argument; a second argument, smoke, means the short way through. The last line it prints is a summary in JSON."""

import json
import sys
from importlib.metadata import version

BASE_URL = sys.argv[1]
IS_SMOKE = "smoke" in sys.argv[2:]
MODEL = "openai/gpt-4o-mini"
UNKNOWN = "00000000-0000-4000-8000-00000000dead"

_checks = 0


def check(what, actual, expected):
    """Ends the script where a value is not what it should be."""
    global _checks
    if actual != expected:
        sys.exit(f"{what}: expected {expected!r}, got {actual!r}")
    _checks += 1


def refused(what, error, call):
    """The client's own error of a call that must be refused."""
    try:
        answer = call()
    except error as problem:
        check(what, True, True)
        return problem
    sys.exit(f"{what}: expected {error.__name__}, got {answer!r}")


def run_source(call):
    """What a tool's source returned; nothing on a machine without a sandbox, which has to say so."""
    try:
        ran = call()
    except Exception as problem:
        check("no sandbox", getattr(problem, "status_code", problem), 403)
        return None
    check("ran", ran.status, "success")
    return ran


def finish(client="letta-client"):
    print(json.dumps({"client": version(client), "checks": _checks}))

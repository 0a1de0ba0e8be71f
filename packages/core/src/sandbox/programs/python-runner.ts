/**
 * The main program of Python in a sandbox, as a string because our files are not available there. It reads one request
 * from descriptor 3, which is hidden from the tool, answers once, and is then killed. Arguments arrive as JSON and are
 * never pasted into source. The tool's module replaces `__main__`, as if it were a script.
 */
import { pythonAgent } from "./python-agent.ts";
import { pythonArguments } from "./python-arguments.ts";
import { pythonClient } from "./python-client.ts";
import { pythonRelay } from "./python-relay.ts";

const pythonServer = String.raw`
import dataclasses, enum, fcntl, inspect, json, linecache, os, sys, types, typing

CHANNEL = 3
FILE = "tool.py"


WAY_OUT = "/run/memoir/out.sock"


def serve():
    close_inherited()
    if os.path.exists(WAY_OUT):
        start_relay(3128)
    if len(sys.argv) > 1:
        add_packages(sys.argv.pop())
    channel = fcntl.fcntl(CHANNEL, fcntl.F_DUPFD_CLOEXEC, 64)
    os.close(CHANNEL)
    os.write(channel, b"ready\n")
    token, request = read_request(channel)
    del globals()["serve"], globals()["read_request"]
    answer = run_tool(json.loads(request))
    flush()
    send(channel, token + b" " + json.dumps(answer).encode("ascii") + b"\n")
    # Blocks until the parent, which has read the answer, kills the process or closes the channel.
    os.read(channel, 1)
    os._exit(0)


def close_inherited():
    """The tool is given its streams and the channel, and no descriptor of the server's."""
    try:
        numbers = [int(each) for each in os.listdir("/proc/self/fd")]
    except OSError:
        numbers = range(1024)
    for each in numbers:
        if each > CHANNEL:
            try:
                os.close(each)
            except OSError:
                pass


def add_packages(path):
    """Before what the system has installed, after what comes with Python."""
    places = [index for index, each in enumerate(sys.path) if each.endswith("-packages")]
    sys.path.insert(places[0] if places else len(sys.path), path)


def read_request(channel):
    data = b""
    while data.count(b"\n") < 2:
        part = os.read(channel, 1 << 20)
        if not part:
            os._exit(0)
        data += part
    token, request, _ = data.split(b"\n")
    return token, request


def send(channel, data):
    while data:
        data = data[os.write(channel, data):]


def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except BaseException:
            pass


def run_tool(request):
    state = None
    try:
        os.environ.update(request["environment"])
        scope = make_scope(request)
        linecache.cache[FILE] = (len(request["source"]), None, request["source"].splitlines(True), FILE)
        exec(compile(request["source"], FILE, "exec", dont_inherit=True), scope)
        function = find_function(scope, request["name"])
        agent = request.get("agent")
        if agent and agent.get("state") is not None:
            state = AgentState(agent["state"])
        positional, named = bind_arguments(function, request["args"], agent, state)
        value = function(*positional, **named)
        if inspect.isawaitable(value):
            import asyncio
            value = asyncio.run(complete(value))
        changes = state.memory.changes() if state is not None else []
        return {"value": to_plain(value), "changes": changes}
    except BaseException as error:
        sys.stderr.write(describe(error))
        return {"error": {"type": type(error).__name__, "message": str(error)}}


def find_function(scope, name):
    """The one of this name, else the last with a docstring: a tool may be called otherwise than its function."""
    if callable(scope.get(name)):
        return scope[name]
    own = [each for each in scope.values() if inspect.isfunction(each) and each.__code__.co_filename == FILE]
    for each in reversed(own):
        if each.__doc__:
            return each
    raise NameError("the source has no function " + repr(name))


async def complete(value):
    return await value


def describe(error):
    """What Python prints, from the tool's own first line on."""
    import traceback
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != FILE:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def make_scope(request):
    module = types.ModuleType("__main__")
    scope = module.__dict__
    for name in typing.__all__:
        scope[name] = getattr(typing, name)
    scope["client"] = make_client(request.get("session"))
    scope["__file__"] = FILE
    scope.update(make_records(request.get("argsSchema") or {}))
    sys.modules["__main__"] = module
    return scope
`;

export const pythonRunner = [pythonServer, pythonRelay, pythonClient, pythonArguments, pythonAgent, "serve()\n"].join(
  "\n",
);

/**
 * What the Python interpreter is started with, as a text, because it has to reach a place without our files. It takes one
 * request over descriptor 3, which it hides from the tool, answers once, and is then ended. Arguments arrive as JSON and
 * stay data; nothing is pasted into source. The tool's module takes the place of `__main__`, as if it were a script.
 */
export const pythonRunner = String.raw`
import dataclasses, enum, fcntl, inspect, json, linecache, os, sys, types, typing

CHANNEL = 3
FILE = "tool.py"


WAY_OUT = "/run/memoir/out.sock"


def serve():
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
    # Whoever has read the answer ends everything from outside, or closes the channel.
    os.read(channel, 1)
    os._exit(0)


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
    scope["client"] = make_client(request.get("door"))
    scope["__file__"] = FILE
    scope.update(make_records(request.get("argsSchema") or {}))
    sys.modules["__main__"] = module
    return scope


# The way out


def start_relay(port):
    """Passes connections on to the only way out, in a process of its own."""
    import socket
    listener = socket.create_server(("127.0.0.1", port))
    if os.fork() != 0:
        listener.close()
        return
    import threading
    os.close(CHANNEL)
    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX)
        far.connect(WAY_OUT)
        for pair in ((near, far), (far, near)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


def pump(source, target):
    import socket
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        source.close()
        target.close()


# The agent's own client


def make_client(door):
    if not door:
        return None
    library = door.get("library")
    if library:
        try:
            import importlib
            make = getattr(importlib.import_module(library["module"]), library["name"])
        except (ImportError, AttributeError):
            return Client(door)
        try:
            return make(base_url=door["base"], api_key=door["key"])
        except TypeError:
            return make(base_url=door["base"], token=door["key"])
    return Client(door)


class Client:
    """Speaks to the server on behalf of the tool's agent, and of no other."""

    def __init__(self, door):
        self.base, self.key = door["base"], door["key"]
        self.agents = types.SimpleNamespace(blocks=Blocks(self), passages=Passages(self))

    def request(self, method, path, body=None):
        import urllib.error, urllib.request
        data = None if body is None else json.dumps(body).encode("utf-8")
        headers = {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"}
        question = urllib.request.Request(self.base + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(question) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{error.code}: {error.read().decode('utf-8', 'replace')}") from None
        return wrap(json.loads(text)) if text else None

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body=None):
        return self.request("POST", path, body if body is not None else {})

    def patch(self, path, body):
        return self.request("PATCH", path, body)

    def delete(self, path):
        return self.request("DELETE", path)


class Blocks:
    def __init__(self, client):
        self.client = client

    def list(self, agent_id):
        return self.client.get(f"/v1/agents/{agent_id}/core-memory/blocks")

    def retrieve(self, block_label, agent_id):
        return self.client.get(self.path(agent_id, block_label))

    def update(self, block_label, agent_id, **changes):
        return self.client.patch(self.path(agent_id, block_label), changes)

    modify = update

    def path(self, agent_id, label):
        from urllib.parse import quote
        return f"/v1/agents/{agent_id}/core-memory/blocks/{quote(label, safe='')}"


class Passages:
    def __init__(self, client):
        self.client = client

    def list(self, agent_id):
        return self.client.get(f"/v1/agents/{agent_id}/archival-memory")

    def create(self, agent_id, **passage):
        return self.client.post(f"/v1/agents/{agent_id}/archival-memory", passage)


# Arguments


def bind_arguments(function, args, agent, state):
    parameters = inspect.signature(function).parameters
    hints = read_hints(function)
    given = {name: fit(value, hints.get(name, typing.Any)) for name, value in args.items()}
    if "agent_state" in parameters:
        given["agent_state"] = state
    if "agent_id" in parameters:
        given["agent_id"] = agent["id"] if agent else None
    positional = []
    for name, parameter in parameters.items():
        if parameter.kind is not parameter.POSITIONAL_ONLY or name not in given:
            break
        positional.append(given.pop(name))
    return positional, given


def read_hints(function):
    try:
        return typing.get_type_hints(function)
    except BaseException:
        return {}


def fit(value, hint):
    """The value as the annotation has it: models, enums, dates, sets. What does not fit stays as it came."""
    try:
        return convert(value, hint)
    except (TypeError, ValueError, KeyError, ArithmeticError, AttributeError):
        return value


def convert(value, hint):
    if hint is typing.Any:
        return value
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return convert(value, inner[0])
    if origin is typing.Union or origin is getattr(types, "UnionType", None):
        return convert_union(value, inner)
    if origin in (list, set, frozenset) or hint in (set, frozenset):
        item = inner[0] if inner else typing.Any
        return (origin or hint)(convert(each, item) for each in check(value, list))
    if origin is tuple or hint is tuple:
        return convert_tuple(check(value, list), inner)
    if origin is dict:
        return {key: convert(each, inner[1]) for key, each in check(value, dict).items()}
    if not isinstance(hint, type):
        return value
    return convert_class(value, hint)


def check(value, kind):
    if not isinstance(value, kind):
        raise TypeError("not a " + kind.__name__)
    return value


def convert_union(value, options):
    if value is None and type(None) in options:
        return None
    for option in options:
        try:
            made = convert(value, option)
        except Exception:
            continue
        if option is typing.Any or typing.get_origin(option) is not None or isinstance(made, option):
            return made
    return value


def convert_tuple(values, inner):
    if not inner:
        return tuple(values)
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(convert(each, inner[0]) for each in values)
    return tuple(convert(each, kind) for each, kind in zip(values, inner, strict=True))


def convert_class(value, kind):
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    if issubclass(kind, enum.Enum):
        return kind[value] if isinstance(value, str) and value in kind.__members__ else kind(value)
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    if hasattr(kind, "parse_obj"):
        return kind.parse_obj(value)
    if issubclass(kind, Record):
        return kind.read(check(value, dict))
    if dataclasses.is_dataclass(kind):
        hints = read_hints(kind)
        return kind(**{name: fit(each, hints.get(name, typing.Any)) for name, each in check(value, dict).items()})
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind.__module__ == "datetime" and hasattr(kind, "fromisoformat"):
        return kind.fromisoformat(check(value, str))
    if kind.__module__ in ("decimal", "uuid", "pathlib") and isinstance(value, (str, int, float)):
        return kind(str(value))
    if kind is bytes and isinstance(value, str):
        return value.encode("utf-8")
    return value


# Classes that stand in the schema of the arguments only


class Record:
    fields = {}

    def __init__(self, **values):
        self.__dict__.update(values)

    @classmethod
    def read(cls, values):
        return cls(**{name: fit_schema(each, cls.fields.get(name, {}), cls.known) for name, each in values.items()})

    def __getitem__(self, name):
        return self.__dict__[name]

    def get(self, name, default=None):
        return self.__dict__.get(name, default)

    def model_dump(self, **_):
        return to_plain(self.__dict__)

    dict = model_dump

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __repr__(self):
        return type(self).__name__ + "(" + ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items()) + ")"


def make_records(schema):
    known = {}
    named = dict(schema.get("$defs") or {})
    if isinstance(schema.get("title"), str):
        named[schema["title"]] = schema
    for each in list((schema.get("properties") or {}).values()):
        if isinstance(each, dict) and isinstance(each.get("title"), str) and "properties" in each:
            named.setdefault(each["title"], each)
    for name, each in named.items():
        if not (isinstance(name, str) and name.isidentifier() and isinstance(each, dict)):
            continue
        if "enum" in each:
            known[name] = enum.Enum(name, {to_name(value): value for value in each["enum"]})
        else:
            known[name] = type(name, (Record,), {"fields": each.get("properties") or {}, "known": known})
    return known


def to_name(value):
    return "".join(letter if letter.isalnum() else "_" for letter in str(value)) or "_"


def fit_schema(value, schema, known):
    if not isinstance(schema, dict):
        return value
    reference = schema.get("$ref")
    if reference is None and isinstance(schema.get("allOf"), list) and schema["allOf"]:
        reference = schema["allOf"][0].get("$ref")
    kind = known.get(str(reference or schema.get("title") or "").split("/")[-1])
    if kind is not None:
        return fit(value, kind)
    if isinstance(value, list):
        return [fit_schema(each, schema.get("items"), known) for each in value]
    return value


# The agent, as tools know it


class View:
    """JSON by attributes. It is for reading: what is assigned goes nowhere, so it is refused."""

    def __init__(self, data):
        object.__setattr__(self, "_data", data)

    def __getattr__(self, name):
        if name.startswith("__") or name not in self._data:
            raise AttributeError(name)
        return wrap(self._data[name])

    def __setattr__(self, name, value):
        raise AttributeError("agent_state is for reading; only values of memory blocks can be changed through it")

    def __getitem__(self, name):
        return wrap(self._data[name])

    def __contains__(self, name):
        return name in self._data

    def __iter__(self):
        return iter(self._data)

    def get(self, name, default=None):
        return wrap(self._data[name]) if name in self._data else default

    def keys(self):
        return self._data.keys()

    def items(self):
        return [(name, wrap(value)) for name, value in self._data.items()]

    def values(self):
        return [wrap(value) for value in self._data.values()]

    def model_dump(self, **_):
        return json.loads(json.dumps(self._data))

    dict = model_dump

    def __eq__(self, other):
        return isinstance(other, View) and self._data == other._data

    def __repr__(self):
        return repr(self._data)


def wrap(value):
    if isinstance(value, dict):
        return View(value)
    return [wrap(each) for each in value] if isinstance(value, list) else value


class Block(View):
    def __setattr__(self, name, value):
        if name != "value":
            View.__setattr__(self, name, value)
        if not isinstance(value, str):
            raise TypeError("the value of a memory block is a string")
        self._data["value"] = value


class Memory(View):
    def __init__(self, data):
        View.__init__(self, data)
        blocks = [Block(dict(each)) for each in data.get("blocks") or []]
        object.__setattr__(self, "blocks", blocks)
        object.__setattr__(self, "_before", {each.label: each.value for each in blocks})

    def get_block(self, label):
        for block in self.blocks:
            if block.label == label:
                return block
        labels = ", ".join(each.label for each in self.blocks)
        raise KeyError(f"there is no memory block {label!r}; there are: {labels}")

    def get_blocks(self):
        return self.blocks

    def list_block_labels(self):
        return [each.label for each in self.blocks]

    def update_block_value(self, label, value):
        self.get_block(label).value = value

    def changes(self):
        changed = [each for each in self.blocks if self._before.get(each.label) != each.value]
        return [{"label": each.label, "value": each.value} for each in changed]


class AgentState(View):
    def __init__(self, data):
        View.__init__(self, data)
        object.__setattr__(self, "memory", Memory(data.get("memory") or {}))


# Results


def to_plain(value, depth=0):
    """Plain JSON; what has no place there becomes its text."""
    if depth > 100:
        return str(value)
    if isinstance(value, enum.Enum):
        return to_plain(value.value, depth + 1)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        # Larger ones would lose digits on the way.
        return int(value) if abs(value) < 2**53 else str(int(value))
    if isinstance(value, float):
        return float(value) if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, dict):
        return {str(key): to_plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_plain(each, depth + 1) for each in value]
    if hasattr(type(value), "model_dump"):
        return to_plain(value.model_dump(), depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_plain(dataclasses.asdict(value), depth + 1)
    return str(value)


serve()
`;

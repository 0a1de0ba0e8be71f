/** Part of the Python runner: the `agent_state` object, and results as JSON. */
export const pythonAgent = `
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
`;

/**
 * Part of the Python runner: converts arguments to their annotated types, including classes that only exist in the
 * schema.
 */
export const pythonArguments = `
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
`;

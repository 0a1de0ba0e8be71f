/** Every shape of function that the tools of others were seen to have, and what is taken from it. */
import { describe, expect, test } from "vitest";
import { loadSourceReader } from "../describe-source.ts";

const { describe: describeSource } = await loadSourceReader();

const doc = `"""Does.\n\n    Args:\n        x: the x\n        y: the y\n    """`;
const plain = `def tool(x: int, y: str):\n    ${doc}\n    return x\n`;
const helper = "def helper(a):\n    return a\n";

/** Name, parameters in their order, and those that are needed. */
const shapes: readonly [shape: string, source: string, expected: [string, string[], string[]]][] = [
  ["a plain function", plain, ["tool", ["x", "y"], ["x", "y"]]],
  ["async def", `async ${plain}`, ["tool", ["x", "y"], ["x", "y"]]],
  [
    "parameters by keyword only",
    plain.replace("x: int, y: str", "x: int, *, y: str = 'a'"),
    ["tool", ["x", "y"], ["x"]],
  ],
  [
    "parameters by position only",
    plain.replace("x: int, y: str", "x: int, /, y: str"),
    ["tool", ["x", "y"], ["x", "y"]],
  ],
  ["any number of arguments", plain.replace("y: str", "*args, y: str, **more: int"), ["tool", ["x", "y"], ["x", "y"]]],
  ["defaults", plain.replace("x: int, y: str", "x: int = -1, y: str = None"), ["tool", ["x", "y"], []]],
  ["a default to compute", plain.replace("x: int", "x: int = 60 * 60"), ["tool", ["x", "y"], ["x", "y"]]],
  [
    "a member of an enum as default",
    `class E(Enum):\n    A = "a"\n${plain.replace("y: str", "y: E = E.A")}`,
    ["tool", ["x", "y"], ["x"]],
  ],
  ["a helper before", `${helper}\n${plain}`, ["tool", ["x", "y"], ["x", "y"]]],
  ["a helper after", `${plain}\n${helper}`, ["tool", ["x", "y"], ["x", "y"]]],
  [
    "a helper inside, with a docstring",
    plain.replace("return x", 'def inner(z: int):\n        """Inner."""\n        return z\n    return inner(x)'),
    ["tool", ["x", "y"], ["x", "y"]],
  ],
  [
    "a class with methods after",
    `${plain}\nclass Box:\n    def open(self, key: str):\n        """Opens."""\n`,
    ["tool", ["x", "y"], ["x", "y"]],
  ],
  ["decorators", `@traced\n@retry(times=3)\n${plain}`, ["tool", ["x", "y"], ["x", "y"]]],
  ["imports inside", plain.replace("return x", "import os\n    return os.name"), ["tool", ["x", "y"], ["x", "y"]]],
  [
    "what the runner fills in",
    plain.replace("x: int, y: str", 'self, agent_state: "AgentState", agent_id: str, x: int, y: str'),
    ["tool", ["x", "y"], ["x", "y"]],
  ],
  ["no parameters", 'def tool():\n    """Does."""\n', ["tool", [], []]],
  ["a body on the line of the head", 'def tool() -> int: "Does."; return 1\n', ["tool", [], []]],
];

describe("the shape of", () => {
  test("17 functions", () => {
    expect(new Set(shapes.map(([shape]) => shape)).size).toBe(17);
  });

  test.for(shapes)("%s", ([, source, [name, parameters, required]]) => {
    const found = describeSource("python", source);
    expect(found.name).toBe(name);
    expect(found.description).toBe("Does.");
    expect(Object.keys(found.parameters.properties as object)).toEqual(parameters);
    expect(found.parameters.required).toEqual(required);
  });

  test("the last of several with a docstring, unless another is asked for", () => {
    const source = `${plain}\n${plain.replace("tool", "other")}\n${helper}`;
    expect(describeSource("python", source).name).toBe("other");
    expect(describeSource("python", source, { name: "tool" }).name).toBe("tool");
    expect(describeSource("python", source.replaceAll("\n", "\r\n")).name).toBe("other");
  });

  test("generic functions, match, and other words of today's Python", () => {
    const source = `type Pair = tuple[int, int]
def tool[T: int](x: Pair, y: str) -> T:
    ${doc}
    match x:
        case (1, _) if (n := len(y)) > 1:
            return f"{n!r:>{10}} {'}'} {y + f"{x}"}"
    try:
        pass
    except* (ValueError, TypeError) as group:
        raise ExceptionGroup("a", [*group.exceptions]) from None
`;
    expect(describeSource("python", source).parameters).toMatchObject({
      properties: { x: { type: "array", prefixItems: [{ type: "integer" }, { type: "integer" }] } },
    });
  });
});

describe("models of the source", () => {
  const withModels = (classes: string, type: string) =>
    describeSource("python", `${classes}\ndef tool(x: ${type}):\n    ${doc}\n`).parameters.properties as {
      x: Record<string, unknown>;
    };

  test("one that holds itself is written out once", () => {
    const classes = `class Node(BaseModel):\n    name: str\n    children: list["Node"] = []\n`;
    expect(withModels(classes, "Node").x).toEqual({
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { type: "object" } } },
      required: ["name"],
      description: "the x",
    });
  });

  test("fields that are inherited come first; what pydantic keeps to itself stays out", () => {
    const classes = `
class Base(pydantic.BaseModel):
    id: int
    kind: str = "base"

class Order(Base):
    model_config = ConfigDict(extra="forbid")
    count: ClassVar[int] = 0
    _secret: str = ""
    kind: Literal["order"] = "order"
    lines: List[str] = Field(default_factory=list, description="Its " "lines.")
    city: Annotated[str, Field(description="Where to.")] = Field(alias="to")
    open: Optional[bool]
    size: int = Field(default=..., description="How large.")

    def total(self) -> int:
        return 1
`;
    expect(withModels(classes, "Order").x).toEqual({
      type: "object",
      properties: {
        id: { type: "integer" },
        kind: { type: "string", enum: ["order"] },
        lines: { type: "array", items: { type: "string" }, description: "Its lines." },
        to: { type: "string", description: "Where to." },
        open: { anyOf: [{ type: "boolean" }, { type: "null" }] },
        size: { type: "integer", description: "How large." },
      },
      required: ["id", "to", "open", "size"],
      description: "the x",
    });
  });

  test("enums of all kinds", () => {
    const of = (classes: string) => withModels(classes, "E").x;
    expect(of("class E(str, enum.Enum):\n    A = 'a'\n    B = 'b'")).toMatchObject({
      type: "string",
      enum: ["a", "b"],
    });
    expect(of("class E(IntEnum):\n    A = 3\n    B = auto()")).toMatchObject({ type: "integer", enum: [3, 4] });
    expect(of("class E(StrEnum):\n    A_B = auto()")).toMatchObject({ type: "string", enum: ["a_b"] });
    expect(of("class E(Enum):\n    A = 'a'\n    B = 1")).toMatchObject({ enum: ["a", 1] });
  });

  test("dataclasses", () => {
    const classes = `
@dataclasses.dataclass(frozen=True)
class Box:
    name: str
    size: int = 1
    tags: list[str] = field(default_factory=list)
    key: str = field(repr=False)
`;
    expect(withModels(classes, "Box").x).toMatchObject({
      properties: {
        name: { type: "string" },
        size: { type: "integer" },
        tags: { type: "array" },
        key: { type: "string" },
      },
      required: ["name", "key"],
    });
  });

  test("typed dictionaries", () => {
    const classes = "class D(TypedDict, total=False):\n    a: Required[int]\n    b: str\n";
    expect(withModels(classes, "D").x).toMatchObject({
      properties: { a: { type: "integer" }, b: { type: "string" } },
      required: ["a"],
    });
  });

  test("names for types, by every spelling", () => {
    const names =
      "import typing as t\nfrom typing import List as L\nA = L[int]\nB: TypeAlias = 'A'\nC = NewType('C', B)\n";
    expect(withModels(names, "t.Dict[str, C]").x).toMatchObject({
      additionalProperties: { type: "array", items: { type: "integer" } },
    });
  });
});

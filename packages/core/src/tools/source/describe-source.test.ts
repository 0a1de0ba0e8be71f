import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../shared/json.ts";
import { loadSourceReader } from "./describe-source.ts";

const { describe: describeSource } = await loadSourceReader();

/** A function with one parameter of this type. */
const typed = (annotation: string, more = "") =>
  `def f(x: ${annotation}${more}):\n    """Does.\n\n    Args:\n        x: the x\n    """\n`;

const derived = (annotation: string, more = "") => {
  const { properties, required } = describeSource("python", typed(annotation, more)).parameters as {
    properties: { x: JsonObject };
    required: string[];
  };
  const { description: _, ...schema } = properties.x;
  return { schema, isRequired: required.includes("x") };
};

describe("a usual function", () => {
  test("its name, description, parameters and which of them are needed", () => {
    const source = `import os

@traced(level=1)
async def find_order(self, number: str, limit: int = 10, note: "Optional[str]" = None, *, deep: bool = False, **more) -> dict:
    """
    Find an order.

    Looks in every shop: also those that closed.

    Args:
        number (str): The number on the receipt,
            with its dashes.
        limit (int): How many to look at.
        note: A word for the log.
        deep: Look twice.

    Returns:
        dict: What is known.
    """
    def helper(z):
        return z
    return {"a)": helper(number)}

def later(value):
    return value
`;
    expect(describeSource("python", source)).toEqual({
      name: "find_order",
      description: "Find an order.\n\nLooks in every shop: also those that closed.",
      parameters: {
        type: "object",
        properties: {
          number: { type: "string", description: "The number on the receipt,\nwith its dashes." },
          limit: { type: "integer", description: "How many to look at." },
          note: { type: "string", description: "A word for the log." },
          deep: { type: "boolean", description: "Look twice." },
        },
        required: ["number"],
      },
    });
  });

  test("examples come along, and what the runner fills in does not", () => {
    const source = `def f(agent_id: str, agent_state: "AgentState", x: int):
    '''Does.

    Examples:
        f(1)

        f(2)

    Args:
        x: the x
    '''`;
    const { description, parameters } = describeSource("python", source);
    expect(description).toBe("Does.\n\nExamples:\n        f(1)\n\n        f(2)");
    expect(Object.keys(parameters.properties as object)).toEqual(["x"]);
  });

  test.for([
    ["reST", "Does.\n\n    :param int x: the x\n        goes on\n    :returns: nothing\n    "],
    ["Epydoc", "Does.\n\n    @param x: the x\n    goes on\n    @return: nothing\n    "],
    [
      "NumPy",
      "Does.\n\n    Parameters\n    ----------\n    x : int\n        the x\n        goes on\n\n    Returns\n    -------\n    int\n    ",
    ],
  ])("a docstring in the style of %s", ([, docstring]) => {
    const { description, parameters } = describeSource("python", `def f(x: int):\n    """${docstring}"""\n`);
    expect(description).toBe("Does.");
    expect(parameters.properties).toEqual({ x: { type: "integer", description: "the x\ngoes on" } });
  });

  test("the function that the request names, though another comes later", () => {
    const source = `${typed("int")}\n${typed("str").replace("def f", "def g")}`;
    expect(describeSource("python", source).name).toBe("g");
    expect(describeSource("python", source, { name: "f" }).name).toBe("f");
    expect(() => describeSource("python", source, { name: "h" })).toThrow('there is no function "h"');
  });
});

describe("types", () => {
  test.for<[string, JsonObject]>([
    ["str", { type: "string" }],
    ["float", { type: "number" }],
    ["list", { type: "array", items: { type: "string" } }],
    ["List[int]", { type: "array", items: { type: "integer" } }],
    ["typing.List[list[bool]]", { type: "array", items: { type: "array", items: { type: "boolean" } } }],
    ["dict", { type: "object" }],
    ["Dict[str, float]", { type: "object", additionalProperties: { type: "number" } }],
    ["Union[int, str]", { anyOf: [{ type: "integer" }, { type: "string" }] }],
    ["int | str", { anyOf: [{ type: "integer" }, { type: "string" }] }],
    ['Literal["a", "b"]', { type: "string", enum: ["a", "b"] }],
    ['Literal["a", -1, None]', { enum: ["a", -1, null] }],
    ["'List[str]'", { type: "array", items: { type: "string" } }],
    [
      "tuple[int, str]",
      { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], minItems: 2, maxItems: 2 },
    ],
    ["datetime.date", { type: "string", format: "date" }],
    ["Any", {}],
  ])("%s", ([annotation, schema]) => {
    expect(derived(annotation)).toEqual({ schema, isRequired: true });
  });

  test.for([
    ["Optional[str]", ""],
    ["str | None", ""],
    ["str", ' = "a"'],
    ["str", " = None"],
    ["str", ' = "a" "b"'],
  ])("%s%s may be left out", ([annotation = "", more]) => {
    expect(derived(annotation, more)).toEqual({ schema: { type: "string" }, isRequired: false });
  });

  test("a default that has to be computed is none", () => {
    expect(derived("int", " = 60 * 60").isRequired).toBe(true);
    expect(derived("int", " = -1").isRequired).toBe(false);
    expect(derived("list", " = [1, {'a': (2,)}]").isRequired).toBe(false);
  });
});

describe("what is told when the source does not say enough", () => {
  test.for<[string, string, RegExp]>([
    ["an open bracket", "def broken(", /line 1: "\(" is never closed: correct it, or send json_schema/],
    ["an open bracket far above", "x = 1\ny = (2\n\ndef f():\n    return 1\n", /line 2: "\(" is never closed/],
    ["a bracket too many", "x = 1\ndef f(a: int)]:\n  pass", /line 2: "\]" closes nothing/],
    ["a bracket for another", "x = [1)\n", /line 1: "\)" stands where "\]" should/],
    ["an open text", "x = 1\ny = '''\nz", /line 2: a text that begins with ''' is never closed/],
    ["a sign too many", "x = 1\nx = = 2\n", /line 2: "=" is no Python/],
    ["half a head", "def f(a: int)\n  pass", /line 1: the head of the function "f" is not complete/],
    ["a body that is not indented", "def f():\nreturn 1\n", /line 1: nothing is indented below this line/],
    [
      "a line too far in",
      "def f():\n  x = 1\n   y = 2\n",
      /line 3: .* not indented like .*: indent it like the line above/,
    ],
    ["a source too far in", "  def f():\n    pass\n", /line 1: .* remove the white space before it/],
    ["tabs among blanks", "if x:\n        a = 1\n\tb = 2\n", /line 3: .* not indented/],
    ["the Python of old", "def f():\n    'Does.'\n    print 'x'\n", /line 3: print needs brackets/],
    ["no function", "x = 1", /no function at the top level of the source: write one with def/],
    ["only a method", "class A:\n    def f(self):\n        'x'\n", /no function at the top level/],
    ["no docstring", "\n\ndef plain(a):\n    return a\n", /line 3: function "plain" has no docstring: write there/],
    ["an f-string is none", "def f():\n    f'x'\n", /function "f" has no docstring/],
    [
      "no annotation",
      'def f(\n  a,\n):\n  """Does."""\n',
      /line 2: parameter "a" of function "f" has no type annotation: write/,
    ],
    [
      "no description",
      'def f(a: int):\n  """Does."""\n',
      /line 1: .* does not describe its parameter "a" .* under "Args:"/,
    ],
    ["a class of elsewhere", typed("Order"), /line 1: parameter "x" of function "f": the type "Order" cannot be read/],
    [
      "a class that is no model",
      `class A:\n    x: int\n${typed("A")}`,
      /line 3: .* the class "A" is no pydantic BaseModel/,
    ],
    [
      "a field of elsewhere",
      `class A(BaseModel):\n    x: B\n${typed("A")}`,
      /line 2: field "x" of class "A": the type "B"/,
    ],
    [
      "a member to compute",
      `class A(Enum):\n    X = f()\n${typed("A")}`,
      /line 2: the value of "X" has to be computed/,
    ],
    ["an enum of nothing", `class A(Enum):\n    pass\n${typed("A")}`, /the enum "A" has no members/],
    ["an alias of itself", `A = list["B"]\nB = "A"\n${typed("A")}`, /the type "A" leads back to itself/],
    ["a quoted type that is none", typed("'list['"), /the type "'list\['" cannot be read/],
    ["a name of JavaScript's", typed("constructor"), /the type "constructor" cannot be read/],
    ["a type without end", typed(`${"list[".repeat(500)}int${"]".repeat(500)}`), /line 1: .* too long/],
  ])("%s", ([, source, message]) => {
    expect(() => describeSource("python", source)).toThrow(message);
    expect(() => describeSource("python", source)).toThrow(/^Failed to derive json schema: /);
  });
});

describe("with the schema of the arguments", () => {
  const argsSchema: JsonObject = {
    type: "object",
    properties: { order: { $ref: "#/$defs/Order", description: "which" } },
    required: ["order"],
    $defs: {
      Order: { type: "object", properties: { lines: { type: "array", items: { $ref: "#/$defs/Line" } } } },
      Line: {
        type: "object",
        properties: { amount: { type: "integer", minimum: 1 }, parent: { $ref: "#/$defs/Line" } },
      },
    },
  };

  test("references are put in place, every keyword stays, and no docstring is needed", () => {
    const line = { type: "object", properties: { amount: { type: "integer", minimum: 1 }, parent: {} } };
    const order = { type: "object", description: "which", properties: { lines: { type: "array", items: line } } };
    expect(describeSource("python", "def f(order): pass", { argsSchema })).toEqual({
      name: "f",
      description: "Runs the function f.",
      parameters: { type: "object", properties: { order }, required: ["order"] },
    });
  });

  test("one that refers to nothing, or grows without end, is refused", () => {
    const read = (schema: JsonObject) => () => describeSource("python", "def f(): pass", { argsSchema: schema });
    expect(read({ properties: { a: { $ref: "#/$defs/gone" } } })).toThrow("#/$defs/gone, which is not there");
    const levels = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { properties: { a: next, b: next } }] as const;
    });
    const $defs = { ...Object.fromEntries(levels), d40: { type: "string" } };
    expect(read({ properties: { a: { $ref: "#/$defs/d0" } }, $defs })).toThrow("too large");
  });
});

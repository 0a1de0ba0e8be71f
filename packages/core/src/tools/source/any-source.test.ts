/** Whatever is sent as source gets a schema or a refusal, soon, and never another error. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isMemoirError } from "../../shared/errors.ts";
import { loadSourceReader } from "./describe-source.ts";
import type { SourceLanguage } from "./source-language.ts";

const reader = await loadSourceReader();

/** The name of what came out of it. */
function outcome(language: SourceLanguage, source: string): "described" | "refused" {
  try {
    reader.hasFunction(language, source, "tool");
    reader.describe(language, source);
    return "described";
  } catch (error) {
    if (isMemoirError(error, "invalid-source")) return "refused";
    throw error;
  }
}

const whole: Readonly<Record<SourceLanguage, string>> = {
  python: `import typing as t
from pydantic import BaseModel, Field

class Line(BaseModel):
    amount: int = Field(..., description="How \\"many\\".")
    parent: t.Optional["Line"] = None

type Size = t.Literal["s", 'm', -1]

@traced(level=1)
async def tool(x: list[Line], y: "Size | None" = None, *, z: t.Dict[str, float] = {"a": 1.5}) -> str:
    '''Does.

    Args:
        x (list): the x,
            which goes on
        y: the y
        z: the z
    '''
    return f"{x!r} {y}"
`,
  typescript: `interface Line { /** How many. */ amount: number; parent?: Line; [key: string]: unknown }
type Size = "s" | 'm' | -1;
const colors = ["red", "blue"] as const;
/**
 * Does.
 * @param x - the x
 */
export async function tool(x: Line[], y: Size | null, c: (typeof colors)[number], z?: Record<string, [number, ...string[]]>): Promise<string> {
  return \`\${x} \${y}\`;
}
export const other = (a: Pick<Line, "amount">) => a;
`,
};

const languages = ["python", "typescript"] as const;

describe.for(languages)("%s", (language) => {
  const source = whole[language];

  test("cut off anywhere", () => {
    expect(outcome(language, source)).toBe("described");
    for (let end = 0; end < source.length; end++) outcome(language, source.slice(0, end));
    for (let start = 1; start < source.length; start += 3) outcome(language, source.slice(start));
  });

  test("with pieces taken out, doubled and put elsewhere", () => {
    const place = fc.nat(source.length);
    fc.assert(
      fc.property(place, place, place, fc.boolean(), (from, length, to, keeps) => {
        const piece = source.slice(from, from + (length % 40));
        const rest = keeps ? source : source.slice(0, from) + source.slice(from + piece.length);
        outcome(language, rest.slice(0, to) + piece + rest.slice(to));
      }),
      { numRuns: 500 },
    );
  });

  test("of any characters, in any place", () => {
    const odd = fc.string({ unit: "binary", maxLength: 30 });
    const token = fc.constantFrom(
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      ":",
      ",",
      '"',
      "'''",
      "`",
      "${",
      "\n",
      "  ",
      "\\",
      "|",
      "*",
      "#",
      "/*",
      "\0",
      "\ud800",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, token), { maxLength: 20 }), fc.nat(source.length), (pieces, at) => {
        outcome(language, pieces.join(""));
        outcome(language, source.slice(0, at) + pieces.join("") + source.slice(at));
      }),
      { numRuns: 300 },
    );
  });
});

/** All of them 100 KB and more; an algorithm that is not made for that would not come to an end. */
const long: readonly (readonly [SourceLanguage, what: string, source: string])[] = [
  ["python", "brackets that open", "(".repeat(100_000)],
  ["python", "brackets in brackets", `x = ${"[".repeat(50_000)}${"]".repeat(50_000)}`],
  ["python", "quotes", "'".repeat(100_001)],
  ["python", "a text", `def tool():\n    """${"a 'b' \\\n".repeat(15_000)}"""\n`],
  ["python", "a text that never ends", `x = (\ny = """${"a 'b' \\\n".repeat(15_000)}`],
  ["python", "headings of a docstring", `def tool():\n    """Does.\n${"    Args:\n".repeat(12_000)}    """\n`],
  [
    "python",
    "words of a docstring",
    `def tool():\n    """Does.\n\n    Parameters\n    ----\n    ${"a, ".repeat(35_000)}!\n    """\n`,
  ],
  ["python", "parameters", `def tool(${"a: int, ".repeat(12_500)}):\n    "Does."\n`],
  ["python", "blocks in blocks", Array.from({ length: 450 }, (_, depth) => `${" ".repeat(depth)}if x:\n`).join("")],
  ["python", "statements", "x = 1\n".repeat(20_000)],
  ["python", "a union", `def tool(x: ${"int | ".repeat(16_000)}int):\n    "Does."\n`],
  ["python", "a quoted type", `def tool(x: "${"list[".repeat(20_000)}"):\n    "Does."\n`],
  [
    "python",
    "classes in classes",
    `${Array.from({ length: 400 }, (_, at) => `class C${at}(BaseModel):\n    a: C${at + 1}\n    b: C${at + 1}\n`).join("")}class C400(BaseModel):\n    a: int\ndef tool(x: C0):\n    "Does."\n`,
  ],
  [
    "python",
    "members of an enum",
    `class E(Enum):\n${Array.from({ length: 3_000 }, (_, at) => `    A${at} = ${at}\n`).join("")}def tool(x: Literal[${Array.from({ length: 3_000 }, (_, at) => `E.A${at}`).join(",")}]):\n    "Does."\n`,
  ],
  [
    "python",
    "bases of bases",
    `${Array.from({ length: 5_000 }, (_, at) => `class A${at + 1}(A${at}): pass\n`).join("")}def tool(x: A5000):\n    "Does."\n`,
  ],
  [
    "typescript",
    "pieces of one interface",
    `${"interface A { a: string }\n".repeat(4_000)}export function tool(x: A): void {}`,
  ],
  ["typescript", "brackets that open", "(".repeat(100_000)],
  ["typescript", "templates", "`${".repeat(33_000)],
  ["typescript", "arrows", `export const tool = ${"() => ".repeat(17_000)}1`],
  ["typescript", "a union", `export function tool(x: ${'"a" | '.repeat(17_000)}"b"): void {}`],
  [
    "typescript",
    "types in types",
    `export function tool(x: ${"Array<".repeat(14_000)}string${">".repeat(14_000)}): void {}`,
  ],
  ["typescript", "a comment", `/** ${"* @param a b\n".repeat(8_000)} */\nexport function tool(a: string): void {}`],
  [
    "typescript",
    "interfaces in interfaces",
    `${Array.from({ length: 400 }, (_, at) => `interface I${at} { a: I${at + 1}; b: I${at + 1} }\n`).join("")}interface I400 { a: string }\nexport function tool(x: I0): void {}`,
  ],
];

test.for(long)("%s: %s", ([language, , source]) => {
  expect(outcome(language, source)).toBeTypeOf("string");
});

/** Values that are written out in TypeScript source. */
import type { JsonValue } from "../../../shared/json.ts";
import type { Node } from "../grammars.ts";
import { field } from "../nodes.ts";

const words: Readonly<Record<string, JsonValue>> = { true: true, false: false, null: null };

export function readLiteral(node: Node): JsonValue | undefined {
  switch (node.type) {
    case "string":
      return readText(node);
    case "number":
      return readNumber(node.text);
    case "true":
    case "false":
    case "null":
      return words[node.type];
    case "unary_expression": {
      const argument = field(node, "argument");
      const value = argument?.type === "number" ? readNumber(argument.text) : undefined;
      return value !== undefined && node.text.startsWith("-") ? -value : undefined;
    }
    default:
      return undefined;
  }
}

function readNumber(text: string): number | undefined {
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : undefined;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "\n": "" };

export function readText(node: Node): string {
  return node.text
    .slice(1, -1)
    .replaceAll(
      /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|([\s\S]))/gi,
      (_, two, four, more, one: string) => {
        const code = two ?? four ?? more;
        if (code === undefined) return escapes[one] ?? one;
        return String.fromCodePoint(Number.parseInt(code, 16) % 0x110000);
      },
    );
}

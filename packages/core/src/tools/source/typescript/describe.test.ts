/** TypeScript types and functions, and what models are told of them. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/json.ts";
import { loadSourceReader } from "../describe-source.ts";

const { describe: describeSource } = await loadSourceReader();

const prelude = `
import type { Elsewhere } from "./elsewhere.ts";
interface Address { /** The city. */ city: string; zip?: number }
interface Order extends Address { lines: Line[]; [key: string]: unknown }
type Line = { amount: number; parent?: Line };
type Id = string | number;
type Box<T> = { inside: T };
export enum Color { Red = "red", Blue = "blue" }
enum Level { Low, High = 5, Higher }
const sizes = ["s", "m"] as const;
const prices = { tea: 1, "green tea": 2 };
`;

const text = { type: "string" };
const number = { type: "number" };
const address = { type: "object", properties: { city: { ...text, description: "The city." }, zip: number } };
const line = { type: "object", properties: { amount: number, parent: { type: "object" } }, required: ["amount"] };

const types: readonly [type: string, schema: JsonObject][] = [
  ["string", text],
  ["number", number],
  ["boolean", { type: "boolean" }],
  ["bigint", { type: "integer" }],
  ["any", {}],
  ["unknown", {}],
  ["object", { type: "object" }],
  ["Date", { type: "string", format: "date-time" }],
  ["null", { type: "null" }],
  ["string[]", { type: "array", items: text }],
  ["readonly string[]", { type: "array", items: text }],
  ["Array<number[]>", { type: "array", items: { type: "array", items: number } }],
  ["(string | number)[]", { type: "array", items: { anyOf: [text, number] } }],
  ["[string, number]", { type: "array", prefixItems: [text, number], minItems: 2, maxItems: 2 }],
  ["[at: string, of?: number]", { type: "array", prefixItems: [text, number], minItems: 1, maxItems: 2 }],
  ["[string, ...number[]]", { type: "array", prefixItems: [text], items: number, minItems: 1 }],
  ["[]", { type: "array", minItems: 0, maxItems: 0 }],
  ['"a" | "b"', { type: "string", enum: ["a", "b"] }],
  ["1 | -2", { type: "integer", enum: [1, -2] }],
  ["true", { type: "boolean", enum: [true] }],
  ['"a" | 1 | null', { enum: ["a", 1, null] }],
  ['"a" | number', { anyOf: [{ type: "string", enum: ["a"] }, number] }],
  ["string | null", { anyOf: [text, { type: "null" }] }],
  ["string | undefined", text],
  ["Id", { anyOf: [text, number] }],
  ["`id-${" + "string}`", text],
  ["Record<string, boolean>", { type: "object", additionalProperties: { type: "boolean" } }],
  ['Record<"a" | "b", number>', { type: "object", properties: { a: number, b: number }, required: ["a", "b"] }],
  ["{}", { type: "object" }],
  ["{ a: string; 'b-c'?: number }", { type: "object", properties: { a: text, "b-c": number }, required: ["a"] }],
  ["{ [key: string]: number }", { type: "object", additionalProperties: number }],
  ["Address", { ...address, required: ["city"] }],
  [
    "Order",
    {
      type: "object",
      properties: { ...address.properties, lines: { type: "array", items: line } },
      required: ["city", "lines"],
      additionalProperties: {},
    },
  ],
  ["Line", line],
  ["Partial<Address>", { ...address, required: [] }],
  ["Required<Address>", { ...address, required: ["city", "zip"] }],
  ['Pick<Address, "zip">', { type: "object", properties: { zip: number }, required: [] }],
  ['Omit<Address, "zip">', { ...address, properties: { city: address.properties.city }, required: ["city"] }],
  [
    "Address & { open: true }",
    {
      type: "object",
      properties: { ...address.properties, open: { type: "boolean", enum: [true] } },
      required: ["city", "open"],
    },
  ],
  ["keyof Address", { type: "string", enum: ["city", "zip"] }],
  ['Address["zip"]', number],
  ["Color", { type: "string", enum: ["red", "blue"] }],
  ["Level", { type: "integer", enum: [0, 5, 6] }],
  ["(typeof sizes)[number]", { type: "string", enum: ["s", "m"] }],
  ["keyof typeof prices", { type: "string", enum: ["tea", "green tea"] }],
];

test.for(types)("%s", ([type, schema]) => {
  const { parameters } = describeSource("typescript", `${prelude}\nexport function f(x: ${type}): void {}`);
  expect(parameters.properties).toEqual({ x: schema });
});

test.for([
  "Elsewhere",
  "Map<string, string>",
  "Box<string>",
  "() => void",
  "{ run(): void }",
  "symbol",
  'Address["gone"]',
  "string & number",
  "Array<",
])("%s is refused, with its line", (type) => {
  const source = `// first line\nexport function f(\n  x: ${type},\n): void {}`;
  expect(() => describeSource("typescript", source)).toThrow(
    expect.objectContaining({
      code: "invalid-source",
      message: expect.stringMatching(/^Failed to derive json schema: line 3: .* send json_schema$/),
    }),
  );
});

describe("functions", () => {
  const read = (source: string, name?: string) =>
    describeSource("typescript", source, name === undefined ? {} : { name });

  test("its comment says what it does and what its arguments are", () => {
    const source = `
/**
 * Finds an order
 * by its number.
 *
 * Also closed ones.
 *
 * @param number - The number,
 *   with its dashes.
 * @param {string} [note=none] A word for the log.
 * @param where.city - Where it goes.
 * @returns what is known
 */
export async function findOrder(
  number: string,
  where: { city: string /* first */; zip: string },
  note?: string,
  limit = 10,
  ...rest: string[]
): Promise<string> {
  return "";
}`;
    expect(read(source)).toEqual({
      name: "findOrder",
      description: "Finds an order by its number.\n\nAlso closed ones.",
      parameters: {
        type: "object",
        properties: {
          number: { type: "string", description: "The number, with its dashes." },
          where: {
            type: "object",
            properties: { city: { type: "string", description: "Where it goes." }, zip: { type: "string" } },
            required: ["city", "zip"],
          },
          note: { type: "string", description: "A word for the log." },
          limit: { type: "number" },
        },
        required: ["number", "where"],
      },
    });
  });

  test.for([
    ["export const f = (x: string) => x;"],
    ["export const f = async (x: string): Promise<string> => x;"],
    ["export const f = function (x: string) { return x; };"],
    ["export const f = ((x: string) => x) satisfies Handler;"],
    ["export default function f(x: string) {}"],
    ["export async function f(x: string) {\n  return await sql<{ n: number }>`select 1`;\n}"],
    ["const f = (x: string) => x;\nexport { f };"],
    ["function helper() {}\nfunction g(x: string) {}\nexport { g as f };"],
    ["export type T = string;\nexport const limit = 3;\nexport function f(this: Window, x: string) {}"],
  ])("%s", ([source = ""]) => {
    expect(read(source)).toEqual({
      name: "f",
      description: "Runs the function f.",
      parameters: { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
    });
  });

  test("the first that is exported, unless another is asked for", () => {
    const source = "function a() {}\nexport const b = () => 1;\nexport function c() {}\nexport function d(): void {}\n";
    expect(read(source).name).toBe("d");
    expect(read(source.replace("(): void", "()")).name).toBe("b");
    expect(read(source, "c").name).toBe("c");
    expect(() => read(source, "e")).toThrow('there is no function "e"');
  });

  test("what stands before an argument that is needed is needed too: arguments go by their places", () => {
    expect(read("export function f(a = 1, b: string, c?: string) {}").parameters.required).toEqual(["a", "b"]);
  });

  test.for([
    ["function f() {}", /line 1: function "f" is not exported: write export before it/],
    ["const x = 1;", /there is no exported function/],
    ["\nexport const f = (x) => x;", /line 2: parameter "x" of function "f" has no type: write for example x: string/],
    ["export function f({ a }: { a: string }) {}", /line 1: a parameter of function "f" is taken apart/],
    ["export function f(a: string) {\n  return (a;\n}", /line 2|line 3/],
    ["export function f(a: string) {}\n/*/ b", /line 2: a comment that begins with \/\* is never closed/],
    ["export function f(a: string) {\n", /line 1: "\{" is never closed: correct it, or send json_schema/],
    ["export function f(a: string) {\n  let = = 3;\n}", /line 2: .* is no TypeScript/],
  ] as const)("%s is refused", ([source, message]) => {
    expect(() => read(source)).toThrow(message);
  });

  test("with the schema of the arguments, its parameters are not looked at", () => {
    const argsSchema = { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "string" } } };
    expect(describeSource("typescript", "/** Does. */\nexport const f = (x) => x;", { argsSchema })).toEqual({
      name: "f",
      description: "Does.",
      parameters: { type: "object", properties: { a: { type: "string" } } },
    });
  });
});

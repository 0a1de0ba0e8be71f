/** Tools whose arguments a schema library describes, as an embedder writes them. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../shared/json.ts";
import { tool } from "./host-tool.ts";
import type { StandardResult, StandardSchema } from "./standard-schema.ts";
import type { OutsideCall } from "./tool.ts";

const call: OutsideCall = {
  orgId: "org-1",
  userId: "user-1",
  agentId: "agent-1",
  conversationId: "conv-1",
  runId: "run-1",
  stepId: "step-1",
  called: [],
  callId: "call-1",
  key: "key-1",
  signal: new AbortController().signal,
};
const usual = { name: "find_order", description: "Finds an order.", effect: "read" } as const;

describe("with zod", () => {
  const Line = z.object({ amount: z.int().positive() }).meta({ id: "Line" });
  const findOrder = tool({
    ...usual,
    isParallel: true,
    timeoutMs: 1000,
    input: z.object({
      number: z.string().describe("The number on the receipt."),
      limit: z.number().default(10),
      since: z.iso
        .date()
        .optional()
        .transform((text) => text && new Date(text).getTime()),
      lines: z.array(Line).optional(),
    }),
    run(input, { key }) {
      expectTypeOf(input.number).toEqualTypeOf<string>();
      expectTypeOf(input.limit).toEqualTypeOf<number>();
      expectTypeOf(input.since).toEqualTypeOf<number | "" | undefined>();
      return { ...input, since: input.since ?? null, key } as JsonObject;
    },
  });

  test("models are told what may be sent, without references", () => {
    expect(findOrder).toMatchObject({ ...usual, isParallel: true, timeoutMs: 1000 });
    expect(findOrder.parameters).toMatchObject({
      type: "object",
      properties: {
        number: { type: "string", description: "The number on the receipt." },
        limit: { type: "number", default: 10 },
        lines: { type: "array", items: { type: "object", required: ["amount"] } },
      },
      required: ["number"],
    });
    expect(JSON.stringify(findOrder.parameters)).not.toMatch(/\$(schema|ref|defs)/);
  });

  test("the function gets what the schema makes of the arguments", async () => {
    const output = await findOrder.run({ number: "1", since: "1970-01-02", more: true }, call);
    expect(output).toEqual({ number: "1", limit: 10, since: 86_400_000, key: "key-1" });
  });

  test("what does not fit never reaches the function, and the model is told why", async () => {
    await expect(async () => findOrder.run({ number: 1, lines: [{ amount: -1 }] }, call)).rejects.toMatchObject({
      code: "tool-failed",
      message: expect.stringMatching(/find_order do not fit: number: .*; lines\.0\.amount: .* Correct them/),
    });
  });

  test("a schema that JSON cannot say is refused with the remedy", () => {
    const input = z.object({ when: z.date() });
    expect(() => tool({ ...usual, input, run: () => null })).toThrow(
      /the input of tool "find_order" cannot be said as JSON schema \(zod: .*\); give it as parameters/,
    );
    const parameters = { type: "object", properties: { when: { type: "string" } } };
    expect(tool({ ...usual, input, parameters, run: () => null }).parameters).toEqual(parameters);
  });

  test("only objects", () => {
    expect(() => tool({ ...usual, input: z.string(), run: () => null })).toThrow("is not the schema of an object");
  });
});

describe("with another library", () => {
  const validate = async (value: unknown): Promise<StandardResult<{ city: string }>> => {
    const { city } = value as { city?: unknown };
    if (typeof city === "string") return { value: { city: city.trim() } };
    return { issues: [{ message: "must be a text", path: [{ key: "city" }] }, { message: "look again" }] };
  };
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const standard = { version: 1, vendor: "other", validate } as const;
  type City = StandardSchema<{ city: string }>;

  test.for([
    ["that speaks by the interface", { "~standard": { ...standard, jsonSchema: { input: () => parameters } } }],
    ["that speaks by a method", { "~standard": standard, toJSONSchema: () => parameters }],
  ] as const)("%s", async ([, input]) => {
    const weather = tool({ ...usual, input: input as City, run: ({ city }) => city });
    expect(weather.parameters).toEqual(parameters);
    expect(await weather.run({ city: " Rome " }, call)).toBe("Rome");
    await expect(async () => weather.run({}, call)).rejects.toThrow("city: must be a text; look again.");
  });

  test("that does not speak: the JSON schema has to be given", () => {
    const input: City = { "~standard": standard };
    expect(() => tool({ ...usual, input, run: () => null })).toThrow(
      'the input of tool "find_order" comes from other, which does not say its JSON schema; give it as parameters',
    );
    expect(tool({ ...usual, input, parameters, run: () => null }).parameters).toEqual(parameters);
  });
});

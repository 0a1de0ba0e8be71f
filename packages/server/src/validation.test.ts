import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CreateAgentWire } from "./letta/agents/schema.ts";
import { CreateBlockWire } from "./letta/blocks/schema.ts";
import { SendMessageWire } from "./letta/messages/schema.ts";
import { idSchema } from "./letta/shared/ids.ts";
import { queryBoolean, queryEnum, queryInteger, queryTexts } from "./letta/shared/query.ts";
import { WireTime } from "./letta/shared/time.ts";
import { type Place, parseInput } from "./validation.ts";
import { ValidationError } from "./validation-error.ts";

function refusal(schema: z.ZodType, input: unknown, place: Place = "body"): ValidationError {
  try {
    parseInput(schema, input, place);
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(input)} was accepted`);
}

const firstRecord = (schema: z.ZodType, input: unknown, place?: Place) => refusal(schema, input, place).records[0];

describe("what is wrong is named by its place", () => {
  test("a missing field", () => {
    expect(firstRecord(CreateBlockWire, { value: "x" })).toEqual({
      type: "missing",
      loc: ["body", "label"],
      msg: "Field required",
      input: null,
    });
  });

  test("an object that says it has a length no number compares with", () => {
    const odd = { length: { toString: 1, valueOf: null } };
    expect(firstRecord(CreateAgentWire, { tags: odd })).toMatchObject({ type: "value_error", loc: ["body"] });
    expect(firstRecord(CreateAgentWire, { name: odd })).toMatchObject({ loc: ["body"] });
  });

  test("a wrong type, deep inside", () => {
    const record = firstRecord(CreateAgentWire, { memory_blocks: [{ label: "a" }, { label: "b", limit: "long" }] });
    expect(record).toMatchObject({ loc: ["body", "memory_blocks", 1, "limit"], input: "long" });
    expect(record?.msg).toMatch(/^Input should be a valid (integer|number)$/);
    expect(firstRecord(CreateAgentWire, { name: 5 })).toMatchObject({
      type: "string_type",
      loc: ["body", "name"],
      msg: "Input should be a valid string",
    });
  });

  test("no body at all", () => {
    expect(firstRecord(CreateBlockWire, undefined)).toMatchObject({ type: "missing", loc: ["body"] });
  });

  test("a word that is none of the choices", () => {
    expect(firstRecord(CreateAgentWire, { agent_type: "robot" })).toMatchObject({
      type: "enum",
      loc: ["body", "agent_type"],
      msg: expect.stringContaining("'memgpt_agent'"),
      input: "robot",
    });
  });

  test("a number out of range, a text too long, a list too long", () => {
    expect(firstRecord(CreateBlockWire, { label: "x", limit: 2 ** 40 })).toMatchObject({ loc: ["body", "limit"] });
    expect(firstRecord(CreateBlockWire, { label: "x".repeat(401) })).toMatchObject({ loc: ["body", "label"] });
    const tags = Array.from({ length: 5001 }, (_, index) => `t${index}`);
    expect(firstRecord(CreateBlockWire, { label: "x", tags })).toMatchObject({
      type: "too_big",
      loc: ["body", "tags"],
    });
  });

  test("a field too many, where none is allowed", () => {
    expect(firstRecord(z.strictObject({ a: z.string() }), { a: "x", b: 1 })).toMatchObject({
      type: "extra_forbidden",
      loc: ["body", "b"],
      msg: "Extra inputs are not permitted: b",
    });
  });

  test("a member of a union: the branch that fits best speaks", () => {
    const schema = z.object({ content: z.union([z.string(), z.array(z.object({ text: z.string() }))]) });
    expect(firstRecord(schema, { content: [{ text: 1 }] })).toMatchObject({ loc: ["body", "content", 0, "text"] });
    expect(firstRecord(CreateAgentWire, { model_settings: { provider_type: "nobody" } })?.loc).toEqual([
      "body",
      "model_settings",
      "provider_type",
    ]);
  });

  test.for<[item: unknown, loc: (string | number)[], type: string]>([
    [{ role: "nobody", content: "x" }, ["role"], "enum"],
    [{ role: "user" }, ["content"], "missing"],
    [{ content: "x" }, ["role"], "missing"],
    [{ role: "user", content: [{ type: "text" }] }, ["content", 0, "text"], "missing"],
    [{ role: "user", content: [{ type: "video" }] }, ["content", 0, "type"], "enum"],
    [{ role: "user", content: [{ type: "image", source: {} }] }, ["content", 0, "source", "type"], "enum"],
    [{ type: "message", role: "nobody", content: "x" }, ["role"], "enum"],
    [{ type: null, role: "nobody", content: "x" }, ["role"], "enum"],
    [{ type: "note", role: "user", content: "x" }, ["type"], "enum"],
    [{ approve: true }, ["approvals"], "value_error"],
    [{ approvals: [{ approve: "yes", tool_call_id: "a" }] }, ["approvals", 0, "approve"], "boolean_type"],
    [
      { type: "approval", approvals: [{ type: "approval", tool_call_id: "a" }] },
      ["approvals", 0, "approve"],
      "missing",
    ],
    [{ tool_returns: [{ tool_call_id: "a", status: "success" }] }, ["tool_returns", 0, "tool_return"], "missing"],
    ["hello", [], "object_type"],
  ])("a message without a type is a message unless it answers something: %j", ([item, loc, type]) => {
    const { records } = refusal(SendMessageWire, { messages: [item] });
    expect(records).toEqual([expect.objectContaining({ type, loc: ["body", "messages", 0, ...loc] })]);
  });

  test("a type that there is none of is told with those that there are", () => {
    const record = firstRecord(SendMessageWire, { messages: [{ type: "note", role: "user", content: "x" }] });
    expect(record?.msg).toBe("Input should be 'message', 'approval', 'tool_return'");
  });

  test("a moment that is none, or that no clock will show", () => {
    const schema = z.object({ at: WireTime });
    for (const at of ["yesterday", "2026-13-45", "+275760-09-13T00:00:00Z", "0001-01-01T00:00:00Z"]) {
      expect(firstRecord(schema, { at })).toMatchObject({
        loc: ["body", "at"],
        msg: expect.stringContaining("datetime"),
      });
    }
    for (const at of ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678901+02:00", "2026-01-02T03:04:05"]) {
      expect(parseInput(schema, { at }, "body")).toEqual({ at });
    }
  });

  test("every fault is told, not only the first", () => {
    const places = refusal(CreateBlockWire, { value: 1, tags: "x" }).records.map(({ loc }) => loc.join("."));
    expect(places.sort()).toEqual(["body.label", "body.tags", "body.value"]);
  });
});

describe("a path", () => {
  test("id of the wrong form gets the pattern and an example", () => {
    const error = refusal(z.object({ agent_id: idSchema("agent") }), { agent_id: "not-an-id" }, "path");
    expect(error.records).toEqual([
      {
        type: "string_pattern_mismatch",
        loc: ["path", "agent_id"],
        msg: "String should match pattern 'agent-{uuid4}'",
        input: "not-an-id",
      },
    ]);
    expect(error.examples).toEqual(["agent-123e4567-e89b-42d3-8456-426614174000"]);
    const example = { agent_id: error.examples[0] };
    expect(parseInput(z.object({ agent_id: idSchema("agent") }), example, "path")).toEqual(example);
  });
});

describe("a query", () => {
  const schema = z.object({
    limit: queryInteger(),
    match: queryBoolean,
    order: queryEnum("asc", "desc"),
    tags: queryTexts,
  });

  test("is read from texts: numbers, yes and no in many spellings, lists, the last of several", () => {
    expect(parseInput(schema, { limit: "10", match: "YES", order: "asc", tags: "one" }, "query")).toEqual({
      limit: 10,
      match: true,
      order: "asc",
      tags: ["one"],
    });
    expect(parseInput(schema, { limit: ["1", "2"], match: ["1", "off"], tags: ["a", "b"] }, "query")).toEqual({
      limit: 2,
      match: false,
      tags: ["a", "b"],
    });
    expect(parseInput(schema, {}, "query")).toEqual({});
  });

  test("with a wrong value is told what should stand there", () => {
    expect(firstRecord(schema, { limit: "abc" }, "query")).toMatchObject({
      loc: ["query", "limit"],
      msg: "Input should be a valid integer",
      input: "abc",
    });
    expect(firstRecord(schema, { match: "maybe" }, "query")).toMatchObject({
      loc: ["query", "match"],
      msg: "Input should be a valid boolean",
    });
    expect(firstRecord(schema, { order: "sideways" }, "query")).toMatchObject({
      loc: ["query", "order"],
      msg: "Input should be 'asc', 'desc'",
    });
    expect(firstRecord(schema, { limit: "-1" }, "query")).toMatchObject({ loc: ["query", "limit"] });
    expect(firstRecord(schema, { limit: "99999999999" }, "query")).toMatchObject({ loc: ["query", "limit"] });
  });
});

test("what was sent is shown, but not a megabyte of it", () => {
  const [record] = refusal(CreateBlockWire, { label: ["x".repeat(1_000_000)] }).records;
  expect(JSON.stringify(record).length).toBeLessThan(500);
});

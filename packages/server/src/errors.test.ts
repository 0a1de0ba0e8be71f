import { MemoirError } from "@memoir/core";
import { describe, expect, test } from "vitest";
import { answerError, statusOf } from "./errors.ts";
import { ValidationError } from "./validation-error.ts";

test.for([
  ["invalid-argument", 400],
  ["unauthenticated", 401],
  ["forbidden", 403],
  ["not-found", 404],
  ["conflict", 409],
  ["invalid-input", 422],
  ["not-implemented", 501],
  ["unavailable", 503],
  ["database-newer", 503],
  ["database-changed", 503],
] as const)("%s is answered with %i", ([code, status]) => {
  expect(answerError(new MemoirError(code, "x")).status).toBe(status);
  expect(statusOf[code]).toBe(status);
});

describe("texts that clients read", () => {
  const detailOf = (error: unknown) => answerError(error).body.detail;
  const missing = (details: Record<string, string>) => detailOf(new MemoirError("not-found", "gone", { details }));

  test("a missing row is named as the old server names it", () => {
    expect(missing({ entity: "agent", id: "agent-1" })).toBe("Agent with ID agent-1 not found");
    expect(missing({ entity: "block", id: "block-1" })).toBe("Block with id 'block-1' not found");
    expect(missing({ entity: "block", label: "human", agentId: "agent-1" })).toBe(
      "No block with label 'human' found for agent 'agent-1'",
    );
    expect(missing({ entity: "identity", id: "identity-1" })).toBe("Identity not found with id='identity-1'");
    expect(detailOf(new MemoirError("not-found", "Handle a/b not found", { details: { entity: "model" } }))).toBe(
      "NOT_FOUND: Handle a/b not found",
    );
  });

  test("refusals begin with their code", () => {
    expect(detailOf(new MemoirError("invalid-argument", "no model"))).toBe("INVALID_ARGUMENT: no model");
    expect(detailOf(new MemoirError("conflict", "taken"))).toBe("CONFLICT: taken");
  });

  test("a field that breaks a rule of ours reads like one that breaks the schema", () => {
    const error = new MemoirError("invalid-input", "too long", { details: { field: "value" } });
    const { body } = answerError(error);
    expect(body.trace_id).toBe("");
    expect(JSON.parse(String(body.detail))).toEqual([
      { type: "value_error", loc: ["body", "value"], msg: "too long", input: null },
    ]);
  });

  test("validation: the records as one text, examples only where there are some", () => {
    const record = { type: "missing", loc: ["body", "label"], msg: "Field required", input: null };
    expect(answerError(new ValidationError([record]))).toEqual({
      status: 422,
      body: { trace_id: "", detail: JSON.stringify([record]) },
    });
    expect(answerError(new ValidationError([record], ["agent-1"])).body.examples).toEqual(["agent-1"]);
  });
});

test("clients are told not to repeat what cannot succeed, and nothing about the rest", () => {
  for (const code of ["conflict", "not-implemented"] as const) {
    expect(answerError(new MemoirError(code, "x")).headers).toEqual({ "x-should-retry": "false" });
  }
  for (const code of ["unavailable", "not-found", "invalid-argument"] as const) {
    expect(answerError(new MemoirError(code, "x")).headers).toBeUndefined();
  }
});

describe("what nobody foresaw", () => {
  test("is a 500 that gives nothing away, and is logged", () => {
    for (const error of [
      new Error("password is hunter2"),
      new TypeError("x"),
      "text",
      undefined,
      null,
      { statusCode: 200 },
    ]) {
      expect(answerError(error)).toEqual({
        status: 500,
        body: { detail: "An unknown error occurred" },
        isUnexpected: true,
      });
    }
  });

  test("a database that is gone is a 503, worth another try", () => {
    for (const code of ["ECONNREFUSED", "ECONNRESET", "57P01", "53300", "08006"]) {
      const answer = answerError(Object.assign(new Error("x"), { code }));
      expect(answer).toMatchObject({ status: 503, isUnexpected: true });
      expect(answer.headers).toBeUndefined();
    }
    expect(answerError(new Error("Connection terminated unexpectedly")).status).toBe(503);
  });

  test("a row that went away or came up meanwhile is a conflict, and not worth another try", () => {
    for (const fault of [
      { code: "23503" },
      { code: "23505" },
      { errcode: 787 },
      { errcode: 2067 },
      { errcode: 1555 },
    ]) {
      expect(answerError(Object.assign(new Error("violates key of secret_table"), fault))).toEqual({
        status: 409,
        body: { detail: "CONFLICT: this was changed by someone else at the same time" },
        headers: { "x-should-retry": "false" },
        isUnexpected: true,
      });
    }
  });

  test("a lock that was waited for in vain is a conflict that may be tried again in a second", () => {
    for (const fault of [{ code: "40001" }, { code: "40P01" }, { code: "55P03" }, { errcode: 5 }, { errcode: 517 }]) {
      const answer = answerError(Object.assign(new Error("x"), fault));
      expect(answer).toMatchObject({ status: 409, headers: { "retry-after": "1" }, isUnexpected: true });
      expect(answer.headers).not.toHaveProperty("x-should-retry");
    }
  });

  test("a caller that hangs up in the middle of its body is not our fault", () => {
    const error = Object.assign(new Error("aborted"), { code: "ECONNRESET", statusCode: 400 });
    expect(answerError(error)).toEqual({ status: 400, body: { detail: "aborted" } });
  });

  test("Fastify's own refusals keep their status", () => {
    const tooLarge = Object.assign(new Error("Request body is too large"), { statusCode: 413 });
    expect(answerError(tooLarge)).toEqual({ status: 413, body: { detail: "Request body is too large" } });
  });
});

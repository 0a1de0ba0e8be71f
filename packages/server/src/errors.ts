/** The one table from error codes to HTTP statuses, and the bodies that clients of the old server read. */
import { type ErrorCode, MemoirError } from "@memoir/core";
import type { FastifyError } from "fastify";
import type { ValidationRecord } from "./validation.ts";

export const statusOf: Readonly<Record<ErrorCode, number>> = {
  "invalid-argument": 400,
  "invalid-input": 422,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  "not-implemented": 501,
  unavailable: 503,
  "database-newer": 503,
  "database-changed": 503,
};

export interface ErrorAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Our own fault: worth a line in the log. */
  readonly isUnexpected?: boolean;
}

/** Request input that failed its schema: 422 with the records as JSON text. */
export class ValidationError extends Error {
  readonly records: readonly ValidationRecord[];
  readonly examples: readonly string[];

  constructor(records: readonly ValidationRecord[], examples: readonly string[] = []) {
    super("the request does not fit its schema");
    this.name = "ValidationError";
    this.records = records;
    this.examples = examples;
  }
}

export function answerError(error: unknown): ErrorAnswer {
  if (error instanceof ValidationError) return answerValidation(error.records, error.examples);
  if (error instanceof MemoirError) return answerMemoirError(error);
  if (isDatabaseGone(error)) {
    return {
      status: 503,
      body: { detail: "The database cannot be reached. Try again in a moment." },
      isUnexpected: true,
    };
  }
  const status = (error as FastifyError | undefined)?.statusCode;
  if (status !== undefined && status >= 400 && status < 500) {
    return { status, body: { detail: error instanceof Error ? error.message : "Bad Request" } };
  }
  return { status: 500, body: { detail: "An unknown error occurred" }, isUnexpected: true };
}

function answerValidation(records: readonly ValidationRecord[], examples: readonly string[]): ErrorAnswer {
  const detail = JSON.stringify(records);
  return { status: 422, body: { trace_id: "", detail, ...(examples.length > 0 ? { examples } : {}) } };
}

function answerMemoirError(error: MemoirError): ErrorAnswer {
  const status = statusOf[error.code];
  if (error.code === "invalid-input") {
    const field = error.details.field;
    const loc = ["body", ...(field === undefined ? [] : [field])];
    return answerValidation([{ type: "value_error", loc, msg: error.message, input: null }], []);
  }
  const headers = status === 409 || status === 501 ? { "x-should-retry": "false" } : undefined;
  return { status, body: { detail: detailOf(error) }, headers, isUnexpected: status >= 500 && status !== 501 };
}

const prefixes: Partial<Record<ErrorCode, string>> = {
  "invalid-argument": "INVALID_ARGUMENT: ",
  conflict: "CONFLICT: ",
};

function detailOf(error: MemoirError): string {
  if (error.code === "not-found") return missingText(error);
  return `${prefixes[error.code] ?? ""}${error.message}`;
}

/** Texts that clients have been seen to read. */
function missingText({ message, details }: MemoirError): string {
  const { entity, id, label, agentId } = details;
  if (entity === "agent") return `Agent with ID ${id} not found`;
  if (entity === "block" && label !== undefined) return `No block with label '${label}' found for agent '${agentId}'`;
  if (entity === "block") return `Block with id '${id}' not found`;
  if (entity === "model") return `NOT_FOUND: ${message}`;
  const name = String(entity ?? "item");
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} not found with id='${id}'`;
}

const goneCodes = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "57P01", "57P02", "57P03", "53300"]);

function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    goneCodes.has(code) ||
    code.startsWith("08") ||
    /Connection terminated|timeout exceeded when trying to connect/.test(error.message)
  );
}

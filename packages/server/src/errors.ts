/** The one table from error codes to HTTP statuses, and the bodies that clients of the old server read. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { describeFault, type ErrorCode, findDatabaseFault, MemoirError } from "@memoir/core";
import type { ConnectionError, FastifyError } from "fastify";
import { AnswerError } from "./answer-error.ts";
import { llmErrorBody } from "./letta/shared/llm-errors.ts";
import { ValidationError, type ValidationRecord } from "./validation-error.ts";

export const statusOf: Readonly<Record<ErrorCode, number>> = {
  "invalid-argument": 400,
  "invalid-input": 422,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  busy: 409,
  "approval-pending": 409,
  "approval-mismatch": 400,
  "not-implemented": 501,
  "too-many-requests": 429,
  unavailable: 503,
  "invalid-source": 400,
  "run-abandoned": 500,
  "tool-failed": 400,
  "llm-bad-request": 400,
  "llm-authentication": 401,
  "llm-insufficient-credits": 402,
  "llm-rate-limit": 429,
  "llm-overloaded": 503,
  "llm-timeout": 504,
  "llm-context-exceeded": 400,
  "llm-system-prompt-exceeded": 400,
  "llm-error": 500,
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

export function answerError(error: unknown): ErrorAnswer {
  if (error instanceof ValidationError) return answerValidation(error.records, error.examples);
  if (error instanceof MemoirError) return answerMemoirError(error);
  if (error instanceof AnswerError) return { status: error.status, body: error.body, headers: error.headers };
  // Before the database's codes: a caller that hangs up is reset as well, and comes with a status from Fastify.
  const status = (error as FastifyError | undefined)?.statusCode;
  if (status !== undefined && status >= 400 && (status < 500 || status === 502)) {
    return { status, body: { detail: error instanceof Error ? error.message : "Bad Request" } };
  }
  const conflict = databaseConflicts[databaseCodeOf(error)];
  if (conflict) return { status: 409, ...conflict, isUnexpected: true };
  const fault = findDatabaseFault(error);
  if (fault === "busy") return { status: 409, ...locked, isUnexpected: true };
  if (fault) return { status: 503, body: { detail: describeFault(fault) }, isUnexpected: true };
  return { status: 500, body: { detail: "An unknown error occurred" }, isUnexpected: true };
}

const brokenStatus: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What is not HTTP has no request to answer to, only a connection. */
export function answerBrokenHttp(error: ConnectionError, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const status = brokenStatus[error.code] ?? 400;
  const title = STATUS_CODES[status] ?? "";
  const body = JSON.stringify({ detail: title });
  const head = `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  if (socket.writable) socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`);
  socket.destroySoon();
}

function answerValidation(records: readonly ValidationRecord[], examples: readonly string[]): ErrorAnswer {
  const detail = JSON.stringify(records);
  return { status: 422, body: { trace_id: "", detail, ...(examples.length > 0 ? { examples } : {}) } };
}

function answerMemoirError(error: MemoirError): ErrorAnswer {
  const status = statusOf[error.code];
  const llmError = llmErrorBody(error);
  if (llmError) return { status, body: llmError };
  if (error.code === "invalid-input") {
    const field = error.details.field;
    const loc = ["body", ...(field === undefined ? [] : [field])];
    return answerValidation([{ type: "value_error", loc, msg: error.message, input: null }], []);
  }
  const isUnexpected = status >= 500 && status !== 501;
  const body = { detail: detailOf(error), ...(error.code === "busy" ? { run_id: error.details.id } : {}) };
  return { status, body, headers: headersOf(status, error), isUnexpected };
}

/** Clients of the old server try again by themselves unless they are told not to, or when. */
function headersOf(status: number, { details }: MemoirError): ErrorAnswer["headers"] {
  if (status === 409 || status === 501) return { "x-should-retry": "false" };
  return status === 429 ? { "retry-after": String(details.retryAfter ?? 1) } : undefined;
}

const prefixes: Partial<Record<ErrorCode, string>> = {
  forbidden: "FORBIDDEN: ",
  "invalid-argument": "INVALID_ARGUMENT: ",
  conflict: "CONFLICT: ",
  busy: "CONFLICT: ",
  "approval-pending": "CONFLICT: ",
};

export function detailOf(error: MemoirError): string {
  if (error.code === "not-found") return missingText(error);
  return `${prefixes[error.code] ?? ""}${error.message}`;
}

/** Texts that clients have been seen to read. */
function missingText({ message, details }: MemoirError): string {
  const { entity, id, label, agentId } = details;
  if (entity === "agent") return `Agent with ID ${id} not found`;
  if (entity === "block" && label !== undefined) return `No block with label '${label}' found for agent '${agentId}'`;
  if (entity === "block") return `Block with id '${id}' not found`;
  if (entity === "model" || entity === "version") return `NOT_FOUND: ${message}`;
  const name = String(entity ?? "item");
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} not found with id='${id}'`;
}

const violated = {
  body: { detail: "CONFLICT: this was changed by someone else at the same time" },
  headers: { "x-should-retry": "false" },
};
const locked = {
  body: { detail: "CONFLICT: the database is busy with the same rows. Try again in a moment." },
  headers: { "retry-after": "1" },
};

/** What core did not foresee and the database stopped: a row gone or taken in between. */
const databaseConflicts: Readonly<Record<string, Pick<ErrorAnswer, "body" | "headers">>> = {
  "23503": violated,
  "23505": violated,
  "sqlite 787": violated,
  "sqlite 1555": violated,
  "sqlite 2067": violated,
};

function databaseCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "errcode" in error ? `sqlite ${error.errcode}` : "code" in error ? String(error.code) : "";
}

/**
 * The only error class for expected failures; any other error is a bug. The server maps these codes to HTTP statuses in
 * one table.
 */
export type ErrorCode =
  | "invalid-argument" // the request is well formed but cannot be fulfilled as written
  | "invalid-input" // a field has the wrong shape, size or value
  | "unauthenticated"
  | "forbidden"
  | "not-found"
  | "conflict" // the name is taken, or another writer came first
  | "busy" // the conversation has an active run and the caller chose not to wait
  | "approval-pending" // the conversation waits for an approval
  | "approval-mismatch" // the answer does not match the pending approval
  | "not-implemented"
  | "too-many-requests"
  | "unavailable" // a database or service cannot be reached
  | "invalid-source" // the signature of a tool cannot be read from its source
  | "run-abandoned" // driving the run crashed the process too often
  | "tool-failed" // a tool rejected the call or failed; the message is for the model
  | "llm-bad-request"
  | "llm-authentication"
  | "llm-insufficient-credits"
  | "llm-rate-limit"
  | "llm-overloaded"
  | "llm-timeout"
  | "llm-context-exceeded" // the request does not fit the model's window
  | "llm-system-prompt-exceeded" // instructions and memory blocks alone do not fit it
  | "llm-error" // any other failure of a provider
  | "database-newer" // the database was written by a later version
  | "database-changed"; // a recorded migration differs from the program's

export interface ErrorDetails {
  /** The kind of entity concerned, in the glossary's words. */
  readonly entity?: string;
  readonly id?: string;
  /** The invalid input field, as the caller spelled it. */
  readonly field?: string;
  readonly [key: string]: unknown;
}

export class MemoirError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "MemoirError";
    this.code = code;
    this.details = options.details ?? {};
  }
}

export function notFound(entity: string, id: string): MemoirError {
  return new MemoirError("not-found", `${entity} "${id}" does not exist`, { details: { entity, id } });
}

export function invalidInput(field: string, message: string): MemoirError {
  return new MemoirError("invalid-input", message, { details: { field } });
}

export function isMemoirError(error: unknown, code?: ErrorCode): error is MemoirError {
  return error instanceof MemoirError && (code === undefined || error.code === code);
}

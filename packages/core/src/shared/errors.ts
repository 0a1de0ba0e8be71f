/**
 * The one error class. Everything Memoir refuses on purpose is a MemoirError; anything else is a bug and stays loud.
 * The server keeps one table from these codes to HTTP statuses.
 */
export type ErrorCode =
  | "invalid-argument" // the request is understood and makes no sense
  | "invalid-input" // a field has the wrong shape, size or value
  | "unauthenticated"
  | "forbidden"
  | "not-found"
  | "conflict" // someone else holds the name, or wrote first
  | "busy" // another run of the conversation is under way, and whoever sends does not want to wait
  | "approval-pending" // the conversation waits for an answer to what it asked
  | "approval-mismatch" // an answer to something that was not asked
  | "not-implemented"
  | "too-many-requests"
  | "unavailable" // a database or service cannot be reached
  | "invalid-source" // a tool's source does not say what the tool takes
  | "run-abandoned" // working on the run ended the process too often
  | "tool-failed" // a tool refused or broke; the text is for the model
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
  /** What kind of thing the error is about, as the glossary calls it. */
  readonly entity?: string;
  readonly id?: string;
  /** The input field at fault, as the caller spelled it. */
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

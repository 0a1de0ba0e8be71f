/** Failures of a model provider, in the body clients of the old server expect. */
import type { ErrorCode, MemoirError } from "@memoir/core";

interface LlmErrorText {
  readonly type: string;
  readonly prefix: string;
  readonly message: string;
}

const texts: Partial<Record<ErrorCode, LlmErrorText>> = {
  "llm-bad-request": {
    type: "llm_bad_request",
    prefix: "INVALID_ARGUMENT",
    message: "The model provider refused the request.",
  },
  "llm-authentication": {
    type: "llm_authentication",
    prefix: "UNAUTHENTICATED",
    message: "The model provider did not accept the API key.",
  },
  "llm-insufficient-credits": {
    type: "llm_insufficient_credits",
    prefix: "INSUFFICIENT_CREDITS",
    message: "The account at the model provider has no credit left.",
  },
  "llm-rate-limit": {
    type: "llm_rate_limit",
    prefix: "RATE_LIMIT_EXCEEDED",
    message: "The model provider's rate limit is reached. Wait before the next request.",
  },
  "llm-timeout": {
    type: "llm_timeout",
    prefix: "DEADLINE_EXCEEDED",
    message: "The model provider did not answer in time.",
  },
  "llm-error": {
    type: "llm_error",
    prefix: "INTERNAL_SERVER_ERROR",
    message: "The request to the model provider failed.",
  },
};

/** Undefined for errors of another kind. */
export function llmErrorBody({
  code,
  message,
}: Pick<MemoirError, "code" | "message">): Record<string, unknown> | undefined {
  const text = texts[code];
  if (!text) return undefined;
  const shown = missingKey.test(message) ? "No API key is set for the model provider." : text.message;
  return { error: { type: text.type, message: shown, detail: `${text.prefix}: ${withStatus(toRemedy(message))}` } };
}

/** How core says that a provider has no key: for programs that embed it. */
const missingKey = / needs a key: /;
const ownRemedy = /, or hand it in as providers\.[^ ]{1,200}\.apiKey$/;

/** What operators and users of a server can do about it. */
function toRemedy(message: string): string {
  return message.replace(
    ownRemedy,
    " and start the server again, or store a provider with a key (POST /v1/providers/)",
  );
}

/** Clients tell by this word that trying again would not help. */
export function withStatus(message: string): string {
  const status = / answered (4\d\d)\b/.exec(message)?.[1];
  return status === undefined ? message : `${message} (Error code: ${status})`;
}

/** How a failure is called in runs, steps and streams: by the family it belongs to there. */
export function toErrorType(code: string): string {
  if (code === "internal") return "internal_error";
  if (code === "llm-system-prompt-exceeded") return "context_window_overflow_in_system_prompt";
  return texts[code as ErrorCode]?.type ?? (code.startsWith("llm-") ? "llm_error" : "internal_error");
}

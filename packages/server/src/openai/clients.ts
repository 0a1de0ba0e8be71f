/**
 * OpenAI's own libraries call two paths that mean something else to clients of the old server. They say who they are, so
 * they are led to where agents are shown as models; nobody else notices.
 */
import type { IncomingMessage } from "node:http";
import type { ErrorAnswer } from "../errors.ts";
import { ValidationError } from "../validation-error.ts";

/** The address such a client can also be given itself. */
export const openAiBase = "/v1/memoir/openai";

const agents = /^\w*OpenAI\/\w+/;
const paths = /^\/v1\/(models(\/[^/?]+)?|chat\/completions)\/?(?=\?|$)/;

export function leadOpenAiClients(url: string, { headers }: Pick<IncomingMessage, "headers">): string {
  return agents.test(headers["user-agent"] ?? "") ? url.replace(paths, `${openAiBase}/$1`) : url;
}

/** An error as these libraries read it beside the usual text: without `error.message` they only name the status. */
export function toOpenAiError(error: unknown, answer: ErrorAnswer): ErrorAnswer {
  const message = textOf(error, answer);
  return {
    ...answer,
    body: { detail: message, error: { message, type: typeOf(answer.status), param: null, code: null } },
  };
}

function textOf(error: unknown, { body }: ErrorAnswer): string {
  if (error instanceof ValidationError) {
    return error.records.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; ");
  }
  const { error: inner, detail } = body as { error?: { message?: string }; detail?: string };
  return inner?.message ?? detail ?? "unknown error";
}

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

function typeOf(status: number): string {
  return types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
}

/** Errors on spans: our code and nothing else, because texts of errors quote what was said. */
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { MemoirError } from "../shared/errors.ts";

/** As statuses and attributes name it. */
export const cancelledCode = "cancelled";

export function codeOf(error: unknown): string {
  if (error instanceof MemoirError) return error.code;
  return error instanceof DOMException && error.name === "AbortError" ? cancelledCode : "internal";
}

/** What was cancelled is no failure. */
export function noteError(span: Span, code: string | undefined): void {
  if (code === undefined) return;
  span.setAttribute("error.type", code);
  if (code !== cancelledCode) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** For figures: what went well has no such attribute. */
export function errorLabel(code: string | undefined): { readonly "error.type"?: string } {
  return code === undefined ? {} : { "error.type": code };
}

/** Records errors on spans by code only, because messages may quote user data. */
import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { MemoirError } from "../shared/errors.ts";

/** The value of status and attributes for a cancelled operation. */
export const cancelledCode = "cancelled";

export function codeOf(error: unknown): string {
  if (error instanceof MemoirError) return error.code;
  return error instanceof DOMException && error.name === "AbortError" ? cancelledCode : "internal";
}

/** A cancellation is not marked as an error. */
export function noteError(span: Span, code: string | undefined): void {
  if (code === undefined) return;
  span.setAttribute("error.type", code);
  if (code !== cancelledCode) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** Metric attribute; absent on success. */
export function errorLabel(code: string | undefined): { readonly "error.type"?: string } {
  return code === undefined ? {} : { "error.type": code };
}

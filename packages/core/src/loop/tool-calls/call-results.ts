/** The events that end a call, however it went. */
import type { ToolCall } from "../../shared/content.ts";
import type { RunEvent } from "../../shared/events.ts";
import type { JsonValue } from "../../shared/json.ts";
import type { ToolPrint } from "../../shared/tool-failure.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { showOutput } from "../../tools/output.ts";
import { describeForbidden } from "../../tools/permitted-tools.ts";

export type ResultEvent = Extract<RunEvent, { type: "tool-result" }>;

export function succeedCall(tool: Tool, call: ToolCall, output: JsonValue, print: ToolPrint = {}): ResultEvent {
  const text = showOutput(tool.name, output, tool.returnCharLimit);
  const result = { callId: call.id, name: call.name, status: "success", output: text, ...print } as const;
  return { type: "tool-result", callId: call.id, result, isViolation: false };
}

/** `output` is what the model is told: what went wrong and what to do next. */
export function failCall(call: ToolCall, output: string, printed: string | ToolPrint = {}): ResultEvent {
  const print = typeof printed === "string" ? { stderr: [printed] } : printed;
  const result = { callId: call.id, name: call.name, status: "error", output, ...print } as const;
  return { type: "tool-result", callId: call.id, result, isViolation: false };
}

export function forbidCall(call: ToolCall): ResultEvent {
  return { ...failCall(call, describeForbidden(call.name)), isViolation: true };
}

const longestError = 1_000;

export function describeError(call: ToolCall, error: Error): string {
  return `Error executing function ${call.name}: ${error.name}: ${error.message}`.slice(0, longestError);
}

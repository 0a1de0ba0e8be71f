/** What models saw, between core and wire. */
import type { ContentPart, JsonObject, PromptMessage, RebuiltRequest, StepDiff, Trace } from "@memoir/core";
import { toLlmConfigWire } from "../../letta/models/mapper.ts";
import { toWireTime } from "../../letta/shared/time.ts";
import { toText } from "../../letta/traces/mapper.ts";
import { toHunkWire } from "../history/mapper.ts";
import type { ShownMessageWire, StepDiffWire, StepRequestWire, TraceWire } from "./schema.ts";

export function toStepRequestWire(request: RebuiltRequest, stored: Trace | null): StepRequestWire {
  const { config, toolChoice, parallelToolCalls, responseFormat } = request.settings;
  return {
    step_id: request.stepId,
    form: request.form,
    exact: request.isExact,
    request_hash: request.requestHash,
    body: request.body && toText(request.body),
    stored_body: stored && toText(stored.request),
    system: request.system,
    tools: request.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    messages: request.messages.map(toShownMessage),
    message_ids: [...request.messageIds],
    llm_config: toLlmConfigWire(config),
    tool_choice: typeof toolChoice === "string" ? toolChoice : { tool: toolChoice.tool },
    parallel_tool_calls: parallelToolCalls,
    response_format: responseFormat as JsonObject | null,
  };
}

function toShownMessage(message: PromptMessage): ShownMessageWire {
  return {
    role: message.role,
    name: message.role === "user" ? (message.name ?? null) : null,
    content: message.role === "tool" ? [] : message.content.map(toPart),
    tool_calls:
      message.role === "assistant"
        ? message.toolCalls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json }))
        : [],
    tool_returns:
      message.role === "tool"
        ? message.returns.map(({ callId, name, status, output }) => ({ tool_call_id: callId, name, status, output }))
        : [],
  };
}

function toPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return toImage(part.source);
    case "reasoning":
      return { type: "reasoning", text: part.text, signature: part.signature ?? null };
    case "redacted-reasoning":
      return { type: "redacted_reasoning", data: part.data };
    case "omitted-reasoning":
      return { type: "omitted_reasoning", signature: part.signature ?? null };
    case "summarized-reasoning":
      return {
        type: "summarized_reasoning",
        id: part.id,
        summary: part.summary.map(({ text }) => text),
        encrypted: part.encrypted ?? null,
      };
  }
}

function toImage(source: Extract<ContentPart, { type: "image" }>["source"]): JsonObject {
  if (source.type === "url") return { type: "image", url: source.url };
  return { type: "image", media_type: source.mediaType, data: source.data ?? null };
}

export function toTraceWire(trace: Trace): TraceWire {
  const { detail, response } = trace;
  const text = response && readText(response);
  return {
    id: trace.id,
    kind: trace.kind,
    purpose: detail.purpose,
    provider: detail.provider,
    model: detail.model,
    url: detail.url,
    status: detail.status,
    started_at: toWireTime(detail.startedAt),
    first_byte_ms: detail.firstByteMs,
    duration_ms: detail.durationMs,
    error: detail.error,
    request: toText(trace.request),
    response: text ?? null,
    response_base64: response && text === undefined ? Buffer.from(response).toString("base64") : null,
    response_cut: detail.isCut,
  };
}

/** Undefined for bytes that are none of a text: some providers answer in a format of their own. */
function readText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function toStepDiffWire({ from, to, system, tools, settings, messages }: StepDiff): StepDiffWire {
  const place = (list: StepDiff["messages"]["added"]) =>
    list.map(({ place, message }) => ({ place, message: toShownMessage(message) }));
  return {
    from: { step_id: from.stepId, exact: from.isExact },
    to: { step_id: to.stepId, exact: to.isExact },
    system: { hunks: system.hunks.map(toHunkWire), text: system.text },
    tools: {
      added: [...tools.added],
      removed: [...tools.removed],
      changed: tools.changed.map(({ name, hunks }) => ({ name, hunks: hunks.map(toHunkWire) })),
    },
    settings: settings.map(({ name, from, to }) => ({ name, from, to })),
    messages: { same: messages.same, removed: place(messages.removed), added: place(messages.added) },
  };
}

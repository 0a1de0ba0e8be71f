/** What models saw, on the wire. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { LlmConfigWire } from "../../letta/models/schema.ts";
import { WireObject } from "../../letta/shared/fields.ts";
import { idSchema } from "../../letta/shared/ids.ts";
import { HunkWire } from "../history/schema.ts";

export interface ShownToolWire {
  name: string;
  description: string;
  parameters: JsonObject;
}

export interface ShownMessageWire {
  role: "user" | "system" | "assistant" | "tool";
  name: string | null;
  content: JsonObject[];
  tool_calls: { id: string; name: string; arguments: string }[];
  tool_returns: { tool_call_id: string; name: string; status: "success" | "error"; output: string }[];
}

const ShownMessageWire: z.ZodType<ShownMessageWire> = z
  .strictObject({
    role: z.enum(["user", "system", "assistant", "tool"]),
    name: z.string().nullable(),
    content: z.array(WireObject),
    tool_calls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })),
    tool_returns: z.array(
      z.strictObject({
        tool_call_id: z.string(),
        name: z.string(),
        status: z.enum(["success", "error"]),
        output: z.string(),
      }),
    ),
  })
  .meta({ id: "MemoirShownMessage" });

export interface StepRequestWire {
  step_id: string;
  form: "wire" | "request";
  /** The rebuilt body is what was sent, byte for byte. */
  exact: boolean;
  request_hash: string;
  body: string | null;
  stored_body: string | null;
  system: string;
  tools: ShownToolWire[];
  messages: ShownMessageWire[];
  message_ids: string[];
  llm_config: LlmConfigWire;
  tool_choice: string | JsonObject;
  parallel_tool_calls: boolean;
  response_format: JsonObject | null;
}

export const StepRequestWire: z.ZodType<StepRequestWire> = z
  .strictObject({
    step_id: z.string(),
    form: z.enum(["wire", "request"]),
    exact: z.boolean(),
    request_hash: z.string(),
    body: z.string().nullable(),
    stored_body: z.string().nullable(),
    system: z.string(),
    tools: z.array(z.strictObject({ name: z.string(), description: z.string(), parameters: WireObject })),
    messages: z.array(ShownMessageWire),
    message_ids: z.array(z.string()),
    llm_config: LlmConfigWire,
    tool_choice: z.union([z.string(), WireObject]),
    parallel_tool_calls: z.boolean(),
    response_format: WireObject.nullable(),
  })
  .meta({ id: "MemoirStepRequest" });

export interface TraceWire {
  id: string;
  kind: "exchange" | "request";
  purpose: "step" | "summary";
  provider: string | null;
  model: string;
  url: string | null;
  status: number | null;
  started_at: string;
  first_byte_ms: number | null;
  duration_ms: number | null;
  error: string | null;
  request: string;
  response: string | null;
  /** In place of `response` where it is no text. */
  response_base64: string | null;
  response_cut: boolean;
}

const TraceWire: z.ZodType<TraceWire> = z
  .strictObject({
    id: z.string(),
    kind: z.enum(["exchange", "request"]),
    purpose: z.enum(["step", "summary"]),
    provider: z.string().nullable(),
    model: z.string(),
    url: z.string().nullable(),
    status: z.int().nullable(),
    started_at: z.string(),
    first_byte_ms: z.number().nullable(),
    duration_ms: z.number().nullable(),
    error: z.string().nullable(),
    request: z.string(),
    response: z.string().nullable(),
    response_base64: z.string().nullable(),
    response_cut: z.boolean(),
  })
  .meta({ id: "MemoirTrace" });

export interface StepTracesWire {
  step_id: string;
  traces: TraceWire[];
}

export const StepTracesWire: z.ZodType<StepTracesWire> = z
  .strictObject({ step_id: z.string(), traces: z.array(TraceWire) })
  .meta({ id: "MemoirStepTraces" });

interface PlacedMessageWire {
  place: number;
  message: ShownMessageWire;
}

const placed = z.array(z.strictObject({ place: z.int(), message: ShownMessageWire }));

export interface StepDiffWire {
  from: { step_id: string; exact: boolean };
  to: { step_id: string; exact: boolean };
  system: { hunks: HunkWire[]; text: string };
  tools: { added: string[]; removed: string[]; changed: { name: string; hunks: HunkWire[] }[] };
  settings: { name: string; from: unknown; to: unknown }[];
  messages: { same: number; removed: PlacedMessageWire[]; added: PlacedMessageWire[] };
}

const side = z.strictObject({ step_id: z.string(), exact: z.boolean() });

export const StepDiffWire: z.ZodType<StepDiffWire> = z
  .strictObject({
    from: side,
    to: side,
    system: z.strictObject({ hunks: z.array(HunkWire), text: z.string() }),
    tools: z.strictObject({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.strictObject({ name: z.string(), hunks: z.array(HunkWire) })),
    }),
    settings: z.array(z.strictObject({ name: z.string(), from: z.unknown(), to: z.unknown() })),
    messages: z.strictObject({ same: z.int(), removed: placed, added: placed }),
  })
  .meta({ id: "MemoirStepDiff" });

export const StepDiffQuery: z.ZodType<{ with: string }> = z.object({ with: idSchema("step") });

/** What can be sent: something said, or answers to what the agent waits for. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireLine, wireList, wireName, wireText } from "../shared/fields.ts";
import { ContentPart, type ContentPartWire, MessageCreateWire } from "./content-schema.ts";

export interface ApprovalReturnWire {
  type?: "approval";
  tool_call_id: string;
  approve: boolean;
  reason?: string;
  /** In place of what the model wrote. */
  arguments?: JsonObject | string;
  /** Of the call that was looked at. */
  hash?: string;
}

export const ApprovalReturnWire: z.ZodType<ApprovalReturnWire> = z.object({
  type: optional(z.literal("approval")),
  tool_call_id: wireLine,
  approve: z.boolean(),
  reason: optional(wireText),
  arguments: optional(z.union([WireObject, wireText])),
  hash: optional(wireName),
});

/** Some clients send one line an item. */
const maxOutputLines = 100_000;

export interface ToolReturnInputWire {
  type?: "tool";
  tool_call_id: string;
  tool_return: string | ContentPartWire[];
  status: "success" | "error";
  stdout?: string[];
  stderr?: string[];
  /** Of the call that was run. */
  hash?: string;
}

export const ToolReturnInputWire: z.ZodType<ToolReturnInputWire> = z.object({
  type: optional(z.literal("tool")),
  tool_call_id: wireLine,
  tool_return: z.union([wireText, wireList(ContentPart)]),
  status: z.enum(["success", "error"]),
  stdout: optional(wireList(wireText, { max: maxOutputLines })),
  stderr: optional(wireList(wireText, { max: maxOutputLines })),
  hash: optional(wireName),
});

export const AnswerWire: z.ZodType<ApprovalReturnWire | ToolReturnInputWire> = z.union([
  ApprovalReturnWire,
  ToolReturnInputWire,
]);

export interface ApprovalCreateWire {
  type?: "approval";
  otid?: string;
  group_id?: string;
  approvals?: (ApprovalReturnWire | ToolReturnInputWire)[];
  approve?: boolean;
  approval_request_id?: string;
  reason?: string;
}

export const ApprovalCreateWire: z.ZodType<ApprovalCreateWire> = z
  .object({
    type: optional(z.literal("approval")),
    otid: optional(wireName),
    group_id: optional(wireName),
    approvals: optional(wireList(AnswerWire)),
    approve: optional(z.boolean()),
    approval_request_id: optional(wireName),
    reason: optional(wireText),
  })
  .refine(
    ({ approvals, approve, approval_request_id }) =>
      approvals !== undefined || (approve !== undefined && approval_request_id !== undefined),
    { error: "an approval needs approvals, or approve together with approval_request_id", path: ["approvals"] },
  )
  .meta({ id: "ApprovalCreate" });

export interface ToolReturnCreateWire {
  type: "tool_return";
  otid?: string;
  group_id?: string;
  tool_returns: ToolReturnInputWire[];
}

export const ToolReturnCreateWire: z.ZodType<ToolReturnCreateWire> = z
  .object({
    type: z.literal("tool_return"),
    otid: optional(wireName),
    group_id: optional(wireName),
    tool_returns: wireList(ToolReturnInputWire),
  })
  .meta({ id: "ToolReturnCreate" });

export type InputWire = MessageCreateWire | ApprovalCreateWire | ToolReturnCreateWire;

/** An item without a type is a message unless it has a field of the others: so faults are told in the right words. */
export const InputWire: z.ZodType<InputWire> = z.preprocess(
  addType,
  z.union([MessageCreateWire, ApprovalCreateWire, ToolReturnCreateWire]),
);

function addType(item: unknown): unknown {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
  const { type = null } = item as { type?: unknown };
  return type === null ? { ...item, type: typeOf(item) } : item;
}

function typeOf(item: object): InputWire["type"] {
  const has = (name: string) => (item as Record<string, unknown>)[name] != null;
  if (has("tool_returns")) return "tool_return";
  return has("approve") || has("approvals") || has("approval_request_id") ? "approval" : "message";
}

export interface ClientToolWire {
  name: string;
  description?: string;
  parameters?: JsonObject;
}

export const ClientToolWire: z.ZodType<ClientToolWire> = z
  .object({
    name: wireName.regex(/^[A-Za-z0-9_-]{1,64}$/, "a tool's name is 1 to 64 letters, digits, _ or -"),
    description: optional(wireText),
    parameters: optional(WireObject),
  })
  .meta({ id: "ClientToolSchema" });

export const ClientToolsWire: z.ZodType<ClientToolWire[]> = wireList(ClientToolWire).refine(
  (tools) => new Set(tools.map(({ name }) => name)).size === tools.length,
  "two client tools have one name",
);

export interface ClientSkillWire {
  name: string;
  description: string;
  location: string;
}

export const ClientSkillWire: z.ZodType<ClientSkillWire> = z
  .object({ name: wireName, description: wireText, location: wireLine })
  .meta({ id: "ClientSkillSchema" });

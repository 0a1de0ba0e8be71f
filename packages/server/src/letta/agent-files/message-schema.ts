/** Messages in agent files: as they are read, which is with everything that can be missing missing. */
import type { JsonObject } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject } from "../shared/fields.ts";
import { WireTime } from "../shared/time.ts";

export type FilePart =
  | { type: "text"; text: string; signature?: string }
  | { type: "image"; source: FileImage }
  | { type: "reasoning"; reasoning: string; is_native?: boolean; signature?: string }
  | { type: "redacted_reasoning"; data: string }
  | { type: "omitted_reasoning"; signature?: string }
  | {
      type: "summarized_reasoning";
      id: string;
      summary: { index: number; text: string }[];
      encrypted_content?: string;
    }
  /** Said again in the message's own fields. */
  | { type: "tool_call" | "tool_return" };

export type FileImage =
  | { type: "url"; url: string }
  | { type: "base64"; media_type: string; data: string; detail?: string }
  | { type: "letta"; media_type?: string; data?: string; detail?: string };

const text = optional(z.string());
const signature = { signature: text };

const FileImage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url"), url: z.string() }),
  z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string(), detail: text }),
  z.object({ type: z.literal("letta"), media_type: text, data: text, detail: text }),
]);

const FilePart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), ...signature }),
  z.object({ type: z.literal("image"), source: FileImage }),
  z.object({ type: z.literal("reasoning"), reasoning: z.string(), is_native: optional(z.boolean()), ...signature }),
  z.object({ type: z.literal("redacted_reasoning"), data: z.string() }),
  z.object({ type: z.literal("omitted_reasoning"), ...signature }),
  z.object({
    type: z.literal("summarized_reasoning"),
    id: z.string(),
    summary: z.array(z.object({ index: z.int(), text: z.string() })),
    encrypted_content: text,
  }),
  z.object({ type: z.literal("tool_call") }),
  z.object({ type: z.literal("tool_return") }),
]);

export interface FileCall {
  id: string;
  function: { name: string; arguments: string };
  signature?: string;
}

const FileCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
  ...signature,
});

export interface FileReturn {
  tool_call_id?: string;
  status: "success" | "error";
  stdout?: string[];
  stderr?: string[];
  func_response?: string | FilePart[];
}

const FileReturn = z.object({
  tool_call_id: text,
  status: z.enum(["success", "error"]),
  stdout: optional(z.array(z.string())),
  stderr: optional(z.array(z.string())),
  func_response: optional(z.union([z.string(), z.array(FilePart)])),
});

const roles = ["assistant", "user", "tool", "function", "system", "approval", "summary"] as const;

/** Of a message of either format. */
export interface FileMessageBody {
  role: (typeof roles)[number];
  content?: string | FilePart[];
  name?: string;
  model?: string;
  group_id?: string;
  tool_calls?: FileCall[];
  tool_call_id?: string;
  tool_returns?: FileReturn[];
  approvals?: JsonObject[];
  created_at?: string;
}

export interface FileMessage extends FileMessageBody {
  id: string;
  agent_id?: string;
}

const bodyShape = {
  role: z.enum(roles),
  content: optional(z.union([z.string(), z.array(FilePart)])),
  name: text,
  model: text,
  group_id: text,
  tool_calls: optional(z.array(FileCall)),
  tool_call_id: text,
  tool_returns: optional(z.array(FileReturn)),
  approvals: optional(z.array(WireObject)),
  created_at: optional(WireTime),
};

export const FileMessageBody: z.ZodType<FileMessageBody> = z.object(bodyShape);
export const FileMessage: z.ZodType<FileMessage> = z.object({
  ...bodyShape,
  id: z.string(),
  agent_id: text,
});

/** What messages are made of on the wire. */
import { z } from "zod";
import { optional } from "../shared/fields.ts";

export type ContentPartWire =
  | { type: "text"; text: string; signature?: string | null }
  | { type: "image"; source: ImageSourceWire };

export type ImageSourceWire =
  | { type: "url"; url: string }
  | { type: "base64"; media_type: string; data: string; detail?: string | null };

const ImageSource: z.ZodType<ImageSourceWire> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url"), url: z.url({ protocol: /^(https?|data)$/ }) }),
  z.object({
    type: z.literal("base64"),
    media_type: z.string(),
    data: z.base64(),
    detail: z.string().nullish(),
  }),
]);

export const ContentPart: z.ZodType<ContentPartWire> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), signature: z.string().nullish() }),
  z.object({ type: z.literal("image"), source: ImageSource }),
]);

export const InputContent: z.ZodType<string | ContentPartWire[]> = z.union([z.string(), z.array(ContentPart)]);

export interface MessageCreateWire {
  type?: "message";
  role: "user" | "system" | "assistant";
  content: string | ContentPartWire[];
  name?: string;
  otid?: string;
  sender_id?: string;
  group_id?: string;
  batch_item_id?: string;
}

export const MessageCreateWire: z.ZodType<MessageCreateWire> = z
  .object({
    type: optional(z.literal("message")),
    role: z.enum(["user", "system", "assistant"]),
    content: InputContent,
    name: optional(z.string()),
    otid: optional(z.string()),
    sender_id: optional(z.string()),
    group_id: optional(z.string()),
    batch_item_id: optional(z.string()),
  })
  .meta({ id: "MessageCreate" });

/** What messages are made of on the wire. */
import { z } from "zod";
import { maxBodyBytes } from "../../limits.ts";
import { optional, wireList, wireName, wireText } from "../shared/fields.ts";

export type ContentPartWire =
  | { type: "text"; text: string; signature?: string | null }
  | { type: "image"; source: ImageSourceWire };

export type ImageSourceWire =
  | { type: "url"; url: string }
  | { type: "base64"; media_type: string; data: string; detail?: string | null }
  | { type: "letta"; file_id: string; media_type?: string | null; data?: string | null; detail?: string | null };

const ImageSource: z.ZodType<ImageSourceWire> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("url"), url: z.url({ protocol: /^(https?|data)$/ }).max(maxBodyBytes) }),
  z.object({
    type: z.literal("base64"),
    media_type: wireName,
    data: z.base64().max(maxBodyBytes),
    detail: wireName.nullish(),
  }),
  z.object({
    type: z.literal("letta"),
    file_id: wireName,
    media_type: wireName.nullish(),
    data: z.base64().max(maxBodyBytes).nullish(),
    detail: wireName.nullish(),
  }),
]);

export const ContentPart: z.ZodType<ContentPartWire> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: wireText, signature: wireText.nullish() }),
  z.object({ type: z.literal("image"), source: ImageSource }),
]);

export const InputContent: z.ZodType<string | ContentPartWire[]> = z.union([wireText, wireList(ContentPart)]);

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
    name: optional(wireName),
    otid: optional(wireName),
    sender_id: optional(wireName),
    group_id: optional(wireName),
    batch_item_id: optional(wireName),
  })
  .meta({ id: "MessageCreate" });

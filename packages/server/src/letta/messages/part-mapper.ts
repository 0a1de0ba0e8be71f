/**
 * A message by itself, apart from its agent. The old server does not look at whose it is there: the text of every agent is
 * shown as a thought, and the parts come last first. Clients that read single messages know them so.
 */
import type { Message } from "@memoir/core";
import { type MessageView, toMessageWires } from "./mapper.ts";
import type { MessageWire } from "./schema.ts";

const view: MessageView = {
  isTextReply: false,
  messageTool: { name: "send_message", argument: "message" },
  types: undefined,
};

export function toPartWires(message: Message): MessageWire[] {
  return toMessageWires([message], view).toReversed();
}

import { refusal } from "../../memory/block-rules.ts";
import type { RunBuiltin } from "../tool.ts";

/** The text itself reaches the user as a message of the assistant. With a response format it is an object. */
export const runSendMessage: RunBuiltin = async (_scope, { message }) => {
  if (message === undefined || message === null || (typeof message === "string" && message.trim() === "")) {
    throw refusal("message is empty, so nothing was sent. Call again with the words for the user in it.");
  }
  return "The message was sent.";
};

import { refusal } from "../../memory/block-rules.ts";
import { prose } from "../../memory/prompts/prose.ts";
import type { JsonValue } from "../../shared/json.ts";
import { defineTool } from "./builtin-tool.ts";
import { type Argument, object, text } from "./input.ts";

const { schema, isRequired } = text(`
  The full wording of your reply, in the user's language, ready to be read. Leave out notes to yourself and
  mentions of tools unless the user asked about them.
`);

/** With a response format the message is an object. It reaches the user as a message of the assistant. */
const message: Argument<JsonValue | undefined> = { schema, isRequired, read: (_name, value) => value };

export const sendMessage = defineTool({
  name: "send_message",
  kind: "core",
  description: prose(`
    Speak to the user. For an agent that talks through tools, this is the only text that reaches anyone; thoughts and
    other tool calls stay private.

    Do the work first: look up, compute and save whatever your answer rests on, because in the usual set-up a delivered
    message ends your turn. What you send is final and goes out exactly as written.

    Returns a short confirmation. The user's reaction arrives later as a new message.
  `),
  input: object({ message }),
  run: async (_scope, { message }) => {
    if (message === undefined || (typeof message === "string" && message.trim() === "")) {
      throw refusal("message is empty, so nothing was sent. Call again with the words for the user in it.");
    }
    return "The message was sent.";
  },
});

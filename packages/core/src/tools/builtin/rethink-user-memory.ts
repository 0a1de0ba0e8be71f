import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { object, text } from "./input.ts";
import { sessionOnly } from "./voice-notes.ts";

export const rethinkUserMemory = defineTool({
  name: "rethink_user_memory",
  kind: "voice",
  description: prose(`
    Replace the description of the user by an improved one that works in what the latest conversation showed. Keep what
    still holds, correct what changed, leave out what no longer matters, and do not guess. May be called again if a
    second look finds something to improve.

    Returns a confirmation. The old description is overwritten. ${sessionOnly}
  `),
  input: object({
    new_memory: text(`
      The complete new description, with dates in calendar form. Whatever is missing from it will be forgotten.
    `),
  }),
  run: "not-yet",
});

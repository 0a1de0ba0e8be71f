import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { integer, listOf, object, text } from "./input.ts";
import { sessionOnly } from "./voice-notes.ts";

export const storeMemories = defineTool({
  name: "store_memories",
  kind: "voice",
  description: prose(`
    Save the parts of the numbered transcript that are worth finding again. Cut it into chunks, each one subject from
    its first to its last line, and skip small talk. Every chunk gets a context that says what it is about, because that
    is what a later search goes by.

    Returns a confirmation. Do this before you rewrite the description of the user. ${sessionOnly}
  `),
  input: object({
    chunks: listOf(
      object({
        start_index: integer("Number of the first transcript line of the chunk."),
        end_index: integer("Number of its last line, which is included."),
        context: text(`
          One or two sentences on what these lines are about and who is concerned, understandable without them.
        `),
      }),
      "The chunks to save, in transcript order and without overlap.",
    ),
  }),
  run: "not-yet",
});

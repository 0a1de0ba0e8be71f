/**
 * The tools of voice agents and of their background companions. Kept so that such agents can be imported, listed and
 * exported; a call outside a voice session is answered with an error, and the descriptions say so.
 */

import { prose } from "../../memory/prompts/prose.ts";
import { type BuiltinTool, integer, listOf, object, text } from "./builtin-tool.ts";

const sessionOnly = "Works within a live voice session only; anywhere else the call comes back as an error.";

const searchMemory: BuiltinTool = {
  name: "search_memory",
  kind: "voice",
  description: prose(`
    Recall earlier talk with this caller: what was said in a stretch of time, or wherever certain words came up. Use it
    when the caller alludes to something that is not in front of you. Say a short bridging phrase first if it may take a
    moment. Give key words, a time span, or both.

    Returns the matching pieces of conversation. ${sessionOnly}
  `),
  parameters: object({
    convo_keyword_queries: listOf(
      { type: "string" },
      "Words or short phrases to look for, each searched separately. Different spellings of one thing may help.",
    ),
    start_minutes_ago: integer("Far end of the span: how many minutes back to begin. The larger of the two numbers."),
    end_minutes_ago: integer("Near end of the span: how many minutes back to stop. 0 is now."),
  }),
  isParallel: false,
};

const storeMemories: BuiltinTool = {
  name: "store_memories",
  kind: "voice",
  description: prose(`
    Save the parts of the numbered transcript that are worth finding again. Cut it into chunks, each one subject from
    its first to its last line, and skip small talk. Every chunk gets a context that says what it is about, because that
    is what a later search goes by.

    Returns a confirmation. Do this before you rewrite the description of the user. ${sessionOnly}
  `),
  parameters: object(
    {
      chunks: listOf(
        object(
          {
            start_index: integer("Number of the first transcript line of the chunk."),
            end_index: integer("Number of its last line, which is included."),
            context: text(`
              One or two sentences on what these lines are about and who is concerned, understandable without them.
            `),
          },
          ["start_index", "end_index", "context"],
        ),
        "The chunks to save, in transcript order and without overlap.",
      ),
    },
    ["chunks"],
  ),
  isParallel: false,
};

const rethinkUserMemory: BuiltinTool = {
  name: "rethink_user_memory",
  kind: "voice",
  description: prose(`
    Replace the description of the user by an improved one that works in what the latest conversation showed. Keep what
    still holds, correct what changed, leave out what no longer matters, and do not guess. May be called again if a
    second look finds something to improve.

    Returns a confirmation. The old description is overwritten. ${sessionOnly}
  `),
  parameters: object(
    {
      new_memory: text(`
        The complete new description, with dates in calendar form. Whatever is missing from it will be forgotten.
      `),
    },
    ["new_memory"],
  ),
  isParallel: false,
};

const finishRethinkingMemory: BuiltinTool = {
  name: "finish_rethinking_memory",
  kind: "voice",
  description: prose(`
    End the turn once transcript and user description are dealt with. The last call of every run, also when there was
    nothing to change. Returns nothing. ${sessionOnly}
  `),
  parameters: object({}),
  isParallel: false,
};

export const voiceTools: readonly BuiltinTool[] = [
  searchMemory,
  storeMemories,
  rethinkUserMemory,
  finishRethinkingMemory,
];

import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { integer, object, optional, texts } from "./input.ts";
import { sessionOnly } from "./voice-notes.ts";

export const searchMemory = defineTool({
  name: "search_memory",
  kind: "voice",
  description: prose(`
    Recall earlier talk with this caller: what was said in a stretch of time, or wherever certain words came up. Use it
    when the caller alludes to something that is not in front of you. Say a short bridging phrase first if it may take a
    moment. Give key words, a time span, or both.

    Returns the matching pieces of conversation. ${sessionOnly}
  `),
  input: object({
    convo_keyword_queries: optional(
      texts("Words or short phrases to look for, each searched separately. Different spellings of one thing may help."),
    ),
    start_minutes_ago: optional(
      integer("Far end of the span: how many minutes back to begin. The larger of the two numbers."),
    ),
    end_minutes_ago: optional(integer("Near end of the span: how many minutes back to stop. 0 is now.")),
  }),
  run: "not-yet",
});

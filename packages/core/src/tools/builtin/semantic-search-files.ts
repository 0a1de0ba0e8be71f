import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { integer, object, optional, text } from "./input.ts";

export const semanticSearchFiles = defineTool({
  name: "semantic_search_files",
  kind: "files",
  description: prose(`
    Find passages in your attached files by what they are about, even if they use other words. A good first step with
    material you do not know; for a known name or number grep_files is more exact.

    Returns the closest passages, grouped by file and shortened to their opening lines. Some passage is always the
    closest, so judge whether it answers the question, and open the file there to read on.
  `),
  input: object({
    query: text("What the passage should be about: a question or a descriptive sentence, one subject at a time."),
    limit: optional(integer("Most passages to return: 5 when left out, 50 at the highest.")),
  }),
  isParallel: true,
  run: "not-yet",
});

import { rejectDisplayAids, replaceAllText } from "../../memory/edit.ts";
import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { editBlock } from "./edit-block.ts";
import { editRefusals, editTiming } from "./edit-notes.ts";
import { object, text } from "./input.ts";

export const coreMemoryReplace = defineTool({
  name: "core_memory_replace",
  kind: "memory",
  description: prose(`
    Swap a piece of a memory block's text for new wording: to correct, to update, to shorten, or to delete by giving an
    empty new_content. The old piece must match the block exactly. If it occurs more than once, every occurrence is
    changed, so quote enough of it to hit only what you mean. If it does not occur, you get an error and nothing
    changes.

    Returns the whole new text of the block. ${editTiming}

    ${editRefusals}
  `),
  input: object({
    label: text("Which block to edit: its label, spelled as in your prompt.", "Name the block to edit."),
    old_content: text(
      "The piece to look for, copied from the block without the slightest change. Not empty.",
      "Quote the text to be replaced.",
    ),
    new_content: text(
      "The piece to put in its place. An empty string removes the old one.",
      "Write the text to put there; an empty string deletes.",
    ),
  }),
  run: async (scope, { label, old_content, new_content }, context) => {
    rejectDisplayAids("old_content", old_content);
    rejectDisplayAids("new_content", new_content);
    return await editBlock(scope, context, label, (value) => replaceAllText(label, value, old_content, new_content));
  },
});

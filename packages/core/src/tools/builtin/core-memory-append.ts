import { appendText, rejectDisplayAids } from "../../memory/edit.ts";
import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { editBlock } from "./edit-block.ts";
import { editRefusals, editTiming } from "./edit-notes.ts";
import { object, text } from "./input.ts";

export const coreMemoryAppend = defineTool({
  name: "core_memory_append",
  kind: "memory",
  description: prose(`
    Write one more piece of information below the present text of a memory block, on a new line. Use it the moment you
    learn something that will matter again. Check the block first: a statement that is now wrong should be corrected
    with core_memory_replace, not contradicted further down.

    Returns the whole new text of the block. ${editTiming}

    ${editRefusals}
  `),
  input: object({
    label: text("Which block to edit: its label, spelled as in your prompt.", "Name the block to write to."),
    content: text(
      `
        What to add, in a form you will understand later without this conversation. The line break in front of it is
        made for you.
      `,
      "Write there what to add.",
    ),
  }),
  run: async (scope, { label, content }, context) => {
    rejectDisplayAids("content", content);
    return await editBlock(scope, context, label, (value) => appendText(value, content));
  },
});

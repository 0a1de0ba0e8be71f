import { planAdd, planEdit } from "../../memory/block-plan.ts";
import { rejectDisplayAids } from "../../memory/edit.ts";
import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { changeMemory } from "./edit-block.ts";
import { displayNumbers, editTiming } from "./edit-notes.ts";
import { object, text } from "./input.ts";

export const memoryRethink = defineTool({
  name: "memory_rethink",
  kind: "sleeptime",
  description: prose(`
    Write a memory block anew from top to bottom. Meant for reorganising: merging scattered statements, dropping what is
    out of date, giving a grown block a better order, making room below its limit. For a single change use
    memory_replace or memory_insert, which cannot lose anything by accident.

    Whatever new_memory leaves out is gone from the block, so carry over every fact that still holds, with its names,
    numbers and dates.

    Returns the whole new text of the block. ${editTiming}

    A label you do not have yet makes a new block. Refused, with the block left as it was: a block marked read_only, and
    a text longer than the block's limit.

    ${displayNumbers}
  `),
  input: object({
    label: text(
      "The label of the block, exactly as your prompt shows it; or a new label, for a new block.",
      "Name the block to write anew.",
    ),
    new_memory: text(
      "The complete text the block shall have from now on. Without line numbers.",
      "Write there the complete new text of the block.",
    ),
  }),
  run: async (scope, { label, new_memory: value }, context) => {
    rejectDisplayAids("new_memory", value);
    await changeMemory(scope, context, (plan) =>
      plan.drafts.some((draft) => draft.label === label)
        ? planEdit(plan, label, () => value)
        : planAdd(plan, { label, value, description: null }),
    );
    return value;
  },
});

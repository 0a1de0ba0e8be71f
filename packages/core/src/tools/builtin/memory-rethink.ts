import { planAdd, planEdit } from "../../memory/block-plan.ts";
import { rejectDisplayAids } from "../../memory/edit.ts";
import type { RunBuiltin } from "../tool.ts";
import { readText } from "./call-arguments.ts";
import { changeMemory } from "./edit-block.ts";

/** Makes the block if there is none. */
export const runMemoryRethink: RunBuiltin = async (scope, args, context) => {
  const label = readText(args, "label", "Name the block to write anew.");
  const value = readText(args, "new_memory", "Write there the complete new text of the block.");
  rejectDisplayAids("new_memory", value);
  await changeMemory(scope, context, (plan) =>
    plan.drafts.some((draft) => draft.label === label)
      ? planEdit(plan, label, () => value)
      : planAdd(plan, { label, value, description: null }),
  );
  return value;
};

import { rejectDisplayAids, replaceOneText } from "../../memory/edit.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { RunBuiltin, ToolContext } from "../tool.ts";
import { readText } from "./call-arguments.ts";
import { editBlock } from "./edit-block.ts";

export const runMemoryReplace: RunBuiltin = async (scope, args, context) =>
  await replaceInBlock(scope, context, {
    label: readText(args, "label", "Name the block to edit."),
    old: readText(args, "old_string", "Quote the passage to be replaced."),
    next: readText(args, "new_string", "Write the passage to put there; an empty string deletes."),
  });

interface Replacement {
  readonly label: string;
  readonly old: string;
  readonly next: string;
}

export async function replaceInBlock(scope: Scope, context: ToolContext, { label, old, next }: Replacement) {
  rejectDisplayAids("old_string", old);
  rejectDisplayAids("new_string", next);
  return await editBlock(scope, context, label, (value) => replaceOneText(label, value, old, next));
}

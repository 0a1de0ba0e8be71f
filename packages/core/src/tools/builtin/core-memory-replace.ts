import { rejectDisplayAids, replaceAllText } from "../../memory/edit.ts";
import type { RunBuiltin } from "../tool.ts";
import { readText } from "./call-arguments.ts";
import { editBlock } from "./edit-block.ts";

export const runCoreMemoryReplace: RunBuiltin = async (scope, args, context) => {
  const label = readText(args, "label", "Name the block to edit.");
  const old = readText(args, "old_content", "Quote the text to be replaced.");
  const next = readText(args, "new_content", "Write the text to put there; an empty string deletes.");
  rejectDisplayAids("old_content", old);
  rejectDisplayAids("new_content", next);
  return await editBlock(scope, context, label, (value) => replaceAllText(label, value, old, next));
};

import { appendText, rejectDisplayAids } from "../../memory/edit.ts";
import type { RunBuiltin } from "../tool.ts";
import { readText } from "./call-arguments.ts";
import { editBlock } from "./edit-block.ts";

export const runCoreMemoryAppend: RunBuiltin = async (scope, args, context) => {
  const label = readText(args, "label", "Name the block to write to.");
  const content = readText(args, "content", "Write there what to add.");
  rejectDisplayAids("content", content);
  return await editBlock(scope, context, label, (value) => appendText(value, content));
};

import { insertText, rejectDisplayAids } from "../../memory/edit.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { RunBuiltin, ToolContext } from "../tool.ts";
import { findInteger, readText } from "./call-arguments.ts";
import { editBlock } from "./edit-block.ts";

export const runMemoryInsert: RunBuiltin = async (scope, args, context) =>
  await insertIntoBlock(scope, context, {
    label: readText(args, "label", "Name the block to write to."),
    argument: "new_string",
    text: readText(args, "new_string", "Write there what to add."),
    line: findInteger(args, "insert_line"),
  });

interface Insertion {
  readonly label: string;
  /** What the caller calls the text. */
  readonly argument: string;
  readonly text: string;
  /** At the end, if undefined. */
  readonly line: number | undefined;
}

export async function insertIntoBlock(scope: Scope, context: ToolContext, insertion: Insertion) {
  const { label, argument, text, line = -1 } = insertion;
  rejectDisplayAids(argument, text);
  return await editBlock(scope, context, label, (value) => insertText(label, value, text, line));
}

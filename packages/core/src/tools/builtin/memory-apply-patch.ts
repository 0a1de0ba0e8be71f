import { type BlockPlan, planAdd, planEdit, planRemove, planRename } from "../../memory/block-plan.ts";
import { rejectDisplayAids } from "../../memory/edit.ts";
import { applyHunks, type PatchOperation, parsePatch } from "../../memory/patch.ts";
import type { RunBuiltin } from "../tool.ts";
import { readText } from "./call-arguments.ts";
import { changeMemory, editBlock } from "./edit-block.ts";

export const runMemoryApplyPatch: RunBuiltin = async (scope, args, context) => {
  const label = readText(args, "label", "Name the block to patch.");
  const patch = readText(args, "patch", "Write the patch there.");
  rejectDisplayAids("patch", patch, true);
  const { isPlain, operations } = parsePatch(label, patch);
  const [first] = operations;
  if (isPlain && first?.type === "update") {
    return await editBlock(scope, context, label, (value) => applyHunks(label, value, first.hunks));
  }
  await changeMemory(scope, context, (plan) => operations.reduce(planOperation, plan));
  const count = operations.length === 1 ? "1 operation" : `${operations.length} operations`;
  const done = operations.map((operation) => `- ${describe(operation)}`).join("\n");
  return `Applied ${count}. What changed is saved and stands in your prompt from your next turn on:\n${done}`;
};

function planOperation(plan: BlockPlan, operation: PatchOperation): BlockPlan {
  const { label } = operation;
  switch (operation.type) {
    case "add":
      return planAdd(plan, { label, value: operation.value, description: operation.description });
    case "delete":
      return planRemove(plan, label);
    case "update":
      return planEdit(plan, label, (value) => applyHunks(label, value, operation.hunks));
    case "move":
      return planRename(plan, label, operation.to);
  }
}

function describe(operation: PatchOperation): string {
  switch (operation.type) {
    case "add":
      return `added block "${operation.label}"`;
    case "delete":
      return `took away block "${operation.label}"`;
    case "update":
      return `updated block "${operation.label}"`;
    case "move":
      return `renamed block "${operation.label}" to "${operation.to}"`;
  }
}

import { type BlockPlan, planAdd, planEdit, planRemove, planRename } from "../../memory/block-plan.ts";
import { rejectDisplayAids } from "../../memory/edit.ts";
import { applyHunks, type PatchOperation, parsePatch } from "../../memory/patch.ts";
import { prose } from "../../memory/prompts/prose.ts";
import { defineTool } from "./builtin-tool.ts";
import { changeMemory, editBlock } from "./edit-block.ts";
import { displayNumbers, editRefusals, editTiming } from "./edit-notes.ts";
import { object, text } from "./input.ts";

/** Kept in its own lines: the leading characters are the format. */
const patchExamples = [
  "One block: give its label and a patch of hunks, each opened by a line @@.",
  "Lines of a hunk begin with a space (stays), - (goes) or + (comes):",
  "",
  "@@",
  " Travel",
  "-Prefers night trains",
  "+Prefers day trains since May 2025",
  "",
  "Several blocks: open each operation with a header line. Operations run from top to bottom; if one cannot be done, none is.",
  "",
  "*** Add Block: garden",
  "Description: Plants, beds and what is due when",
  "+Tomatoes sown on 3 March",
  "*** Update Block: human",
  "@@",
  "-Lives in Ghent",
  "+Lives in Bruges",
  "*** Move to: ana",
  "*** Delete Block: scratch",
  "",
  "Move to renames the block named just before it; Delete takes a block away from you.",
].join("\n");

export const memoryApplyPatch = defineTool({
  name: "memory_apply_patch",
  kind: "memory",
  description: [
    prose(`
      Make several changes to memory in one call, written as a patch. Worth its format when edits belong together: many
      places in one block, or blocks to be added, renamed and removed in one go. For a single small change a plainer
      memory tool is safer.
    `),
    patchExamples,
    prose(`
      The lines that stay and go must match one place in the block exactly, in sequence. If a hunk fits nowhere or in
      more than one place you get an error; add neighbouring lines that stay until it fits one place. A hunk made of +
      lines alone goes to the end of the block.

      Returns for one block its whole new text, for several a list of what was done. ${editTiming}

      ${editRefusals} So is adding a block whose label you already have.

      ${displayNumbers}
    `),
  ].join("\n\n"),
  input: object({
    label: text(
      `
        The block to patch. When the patch has header lines, they decide and this is not used; give the label of any of
        the blocks concerned.
      `,
      "Name the block to patch.",
    ),
    patch: text("The patch, in one of the two forms described. Without line numbers.", "Write the patch there."),
  }),
  run: async (scope, { label, patch }, context) => {
    rejectDisplayAids("patch", patch, true);
    const { isPlain, operations } = parsePatch(label, patch);
    const [first] = operations;
    if (isPlain && first?.type === "update") {
      return await editBlock(scope, context, label, (value) => applyHunks(label, value, first.hunks));
    }
    await changeMemory(scope, context, (plan) => operations.reduce(planOperation, plan));
    return describeAll(operations);
  },
});

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

function describeAll(operations: readonly PatchOperation[]): string {
  const count = operations.length === 1 ? "1 operation" : `${operations.length} operations`;
  const done = operations.map((operation) => `- ${describe(operation)}`).join("\n");
  return `Applied ${count}. What changed is saved and stands in your prompt from your next turn on:\n${done}`;
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

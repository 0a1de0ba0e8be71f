/** How builtin tools change core memory: one block's text, or a whole plan. */
import { type BlockPlan, type PlannedWrites, planWrites, startPlan } from "../../memory/block-plan.ts";
import { refusal, rejectOverLimit, rejectReadOnly, unknownLabel } from "../../memory/block-rules.ts";
import { isMemoirError } from "../../shared/errors.ts";
import { attachBlocks, detachBlock, findAgentBlock } from "../../store/agents/agent-blocks.ts";
import { listCompanionIds } from "../../store/agents/groups.ts";
import { type Block, insertBlocks, newBlock, writeBlock } from "../../store/blocks/blocks.ts";
import { findLabelConflict, getBlockByLabel, loadCoreMemory } from "../../store/blocks/core-memory.ts";
import { StaleWriteError } from "../../store/engine/entity.ts";
import type { Scope } from "../../store/engine/scope.ts";
import type { ToolContext } from "../tool.ts";

/** Saves what `edit` makes of the block's text, and answers that. */
export async function editBlock(
  scope: Scope,
  context: ToolContext,
  label: string,
  edit: (value: string) => string,
): Promise<string> {
  const block = await openBlock(scope, context, label);
  const value = edit(block.value);
  if (value === block.value) return value;
  rejectOverLimit(block, value);
  await orAgain(block.id, () => writeBlock(scope, block, { value }, context.cause));
  return value;
}

async function openBlock(scope: Scope, { agentId, conversationId }: ToolContext, label: string): Promise<Block> {
  try {
    const block = await getBlockByLabel(scope, agentId, conversationId, label);
    rejectReadOnly(block);
    return block;
  } catch (error) {
    if (!isMemoirError(error, "not-found")) throw error;
    throw unknownLabel(label, error.details.labels as string[]);
  }
}

/** Saves what `change` plans, all of it. Refusals come before the first write. */
export async function changeMemory(
  scope: Scope,
  context: ToolContext,
  change: (plan: BlockPlan) => BlockPlan,
): Promise<void> {
  const blocks = await loadCoreMemory(scope, context.agentId, context.conversationId);
  const writes = planWrites(change(startPlan(blocks)));
  await rejectForeignConflicts(scope, context, writes);
  for (const block of writes.detach) await orAgain(block.id, () => detachBlock(scope, context.agentId, block.id));
  for (const { seen, label, value, description } of writes.write) {
    await orAgain(seen.id, () => writeBlock(scope, seen, { label, value, description }, context.cause));
  }
  for (const draft of writes.create) {
    const block = newBlock(scope, draft, context.cause);
    await insertBlocks(scope, [block], context.cause);
    await orAgain(block.id, () => attachToAgent(scope, context.agentId, block));
  }
}

/** A shared block has one label for all who hold it. */
async function rejectForeignConflicts(scope: Scope, { agentId }: ToolContext, { write }: PlannedWrites): Promise<void> {
  const renamed = write.filter(({ seen, label }) => label !== seen.label);
  for (const { seen, label } of renamed) {
    const conflict = await findLabelConflict(scope, agentId, seen.id, label);
    // That block gives its label up earlier in this plan.
    if (!conflict || renamed.some((other) => other.seen.id === conflict.blockId)) continue;
    throw refusal(
      `Block "${seen.label}" is shared with another agent that already has a block labelled "${label}". Nothing was ` +
        "changed. Choose another label.",
    );
  }
}

/** An agent's companions tend its memory: they get what it gets, unless they have a block of that label themselves. */
async function attachToAgent(scope: Scope, agentId: string, block: Block): Promise<void> {
  await attachBlocks(scope, agentId, [block]);
  for (const companion of await listCompanionIds(scope, agentId)) {
    if (!(await findAgentBlock(scope, companion, block.label))) await attachBlocks(scope, companion, [block]);
  }
}

/** All was checked, so what fails now was changed by someone else meanwhile: the transaction starts again. */
async function orAgain<R>(blockId: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (isMemoirError(error, "conflict") || isMemoirError(error, "not-found")) {
      throw new StaleWriteError("block", blockId);
    }
    throw error;
  }
}

/** Said of every change: the prompt is only compiled between turns. */
export const savedNote = "It is saved and stands in your prompt from your next turn on.";

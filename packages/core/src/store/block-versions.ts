/** Every version of every block, with what caused it. A version holds a line diff, every twentieth the whole text. */
import { notFound } from "../errors.ts";
import { applyLineDiff, diffLines, type LineDiff } from "./line-diff.ts";
import type { Scope } from "./scope.ts";

/** Why a block changed: a caller of the API, a tool call of an agent's run, an import, or Memoir itself. */
export interface BlockCause {
  readonly kind: "api" | "tool" | "import" | "system";
  readonly userId: string | null;
  readonly agentId?: string;
  readonly runId?: string;
  readonly stepId?: string;
  readonly toolCallId?: string;
}

/** What of a block is kept with each version. */
export interface VersionedBlock {
  readonly id: string;
  readonly version: number;
  readonly label: string;
  readonly description: string | null;
  readonly charLimit: number;
  readonly readOnly: boolean;
  readonly value: string;
  readonly updatedAt: number;
}

export interface BlockVersion {
  readonly version: number;
  readonly label: string;
  readonly description: string | null;
  readonly charLimit: number;
  readonly readOnly: boolean;
  readonly value: string;
  readonly cause: BlockCause;
  readonly createdAt: number;
}

const versionsPerCopy = 20;

/** Writes down new blocks, or, with the text that stood there before, changed ones. */
export async function recordBlockVersion(
  scope: Scope,
  writes: readonly { readonly block: VersionedBlock; readonly before?: string }[],
  cause: BlockCause,
): Promise<void> {
  await scope.insertAll(
    "block_version",
    writes.map(({ block, before }) => {
      const isCopy = before === undefined || block.version % versionsPerCopy === 1;
      return {
        block_id: block.id,
        version: block.version,
        label: block.label,
        description: block.description,
        char_limit: block.charLimit,
        read_only: block.readOnly ? 1 : 0,
        value: isCopy ? block.value : null,
        diff: isCopy ? null : JSON.stringify(diffLines(before, block.value)),
        cause: cause.kind,
        user_id: cause.userId,
        agent_id: cause.agentId ?? null,
        run_id: cause.runId ?? null,
        step_id: cause.stepId ?? null,
        tool_call_id: cause.toolCallId ?? null,
        created_at: block.updatedAt,
      };
    }),
  );
}

/** Oldest first, each with its whole text. */
export async function listBlockVersions(scope: Scope, blockId: string): Promise<BlockVersion[]> {
  const rows = await scope
    .select("block_version")
    .selectAll("block_version")
    .where("block_id", "=", blockId)
    .orderBy("version")
    .execute();
  if (rows.length === 0) throw notFound("block", blockId);
  let value = "";
  return rows.map((row) => {
    value = row.value ?? applyLineDiff(value, JSON.parse(row.diff ?? "null") as LineDiff);
    return {
      version: row.version,
      label: row.label,
      description: row.description,
      charLimit: row.char_limit,
      readOnly: row.read_only === 1,
      value,
      cause: {
        kind: row.cause as BlockCause["kind"],
        userId: row.user_id,
        ...(row.agent_id === null ? {} : { agentId: row.agent_id }),
        ...(row.run_id === null ? {} : { runId: row.run_id }),
        ...(row.step_id === null ? {} : { stepId: row.step_id }),
        ...(row.tool_call_id === null ? {} : { toolCallId: row.tool_call_id }),
      },
      createdAt: row.created_at,
    };
  });
}

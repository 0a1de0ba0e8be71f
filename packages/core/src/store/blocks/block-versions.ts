/** The history of blocks with causes. A version holds a line diff, every twentieth the complete text. */
import { sql } from "kysely";
import { MemoirError, notFound } from "../../shared/errors.ts";
import { isInList } from "../engine/in-list.ts";
import type { BlockVersionTable } from "../engine/schema.ts";
import type { Scope } from "../engine/scope.ts";
import { applyLineDiff, diffLines, type LineDiff } from "./line-diff.ts";

/** Why a block changed: an API call, a tool call of a run, an import, Memoir itself, or a restore. */
export interface BlockCause {
  readonly kind: "api" | "tool" | "import" | "system" | "restore";
  readonly userId: string | null;
  readonly agentId?: string;
  readonly runId?: string;
  readonly stepId?: string;
  readonly toolCallId?: string;
  /** For a restore: the version that was restored. */
  readonly restoredVersion?: number;
}

/** The fields of a block that versions record. */
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

/** A version without its text. */
export interface VersionHead {
  readonly version: number;
  readonly label: string;
  readonly description: string | null;
  readonly charLimit: number;
  readonly readOnly: boolean;
  readonly cause: BlockCause;
  readonly createdAt: number;
}

export interface BlockVersion extends VersionHead {
  readonly value: string;
}

/** A version as stored: the complete text, or the diff to the previous version. */
export interface VersionChange extends VersionHead {
  readonly value: string | null;
  readonly diff: LineDiff | null;
}

/** Cursors are version numbers. */
export interface VersionPage {
  readonly limit: number;
  readonly order: "asc" | "desc";
  readonly after?: number;
  readonly before?: number;
}

const versionsPerCopy = 20;

/** Records new blocks or, if the previous text is passed, changed ones. */
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
        cause: writeCause(cause),
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

const restorePrefix = "restore:";

/** A restore is stored with its version number, as `restore:17`. */
function writeCause({ kind, restoredVersion }: BlockCause): string {
  return restoredVersion === undefined ? kind : `${restorePrefix}${restoredVersion}`;
}

function readCause(row: HeadRow): BlockCause {
  const origin = {
    userId: row.user_id,
    ...(row.agent_id === null ? {} : { agentId: row.agent_id }),
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    ...(row.step_id === null ? {} : { stepId: row.step_id }),
    ...(row.tool_call_id === null ? {} : { toolCallId: row.tool_call_id }),
  };
  if (!row.cause.startsWith(restorePrefix)) return { kind: row.cause as BlockCause["kind"], ...origin };
  return { kind: "restore", ...origin, restoredVersion: Number(row.cause.slice(restorePrefix.length)) };
}

const headColumns = [
  "version",
  "label",
  "description",
  "char_limit",
  "read_only",
  "cause",
  "user_id",
  "agent_id",
  "run_id",
  "step_id",
  "tool_call_id",
  "created_at",
] as const satisfies readonly (keyof BlockVersionTable)[];

type HeadRow = Pick<BlockVersionTable, (typeof headColumns)[number]>;

function readHead(row: HeadRow): VersionHead {
  return {
    version: row.version,
    label: row.label,
    description: row.description,
    charLimit: row.char_limit,
    readOnly: row.read_only === 1,
    cause: readCause(row),
    createdAt: row.created_at,
  };
}

/** Omits texts, because a block may have thousands of versions. */
export async function listVersionHeads(scope: Scope, blockId: string, page: VersionPage): Promise<VersionHead[]> {
  const { order, after, before, limit } = page;
  const [later, earlier] = order === "asc" ? ([">", "<"] as const) : (["<", ">"] as const);
  let query = scope.select("block_version").select(headColumns).where("block_id", "=", blockId);
  if (after !== undefined) query = query.where("version", later, after);
  if (before !== undefined) query = query.where("version", earlier, before);
  return (await query.orderBy("version", order).limit(limit).execute()).map(readHead);
}

/** Versions after one up to another, as stored, oldest first. */
export async function listVersionChanges(
  scope: Scope,
  blockId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<VersionChange[]> {
  const rows = await scope
    .select("block_version")
    .select([...headColumns, "value", "diff"])
    .where("block_id", "=", blockId)
    .where("version", ">", after)
    .where("version", "<=", upTo)
    .orderBy("version")
    .execute();
  return rows.map(readChange);
}

function readChange(row: HeadRow & Pick<BlockVersionTable, "value" | "diff">): VersionChange {
  return {
    ...readHead(row),
    value: row.value,
    diff: row.diff === null ? null : (JSON.parse(row.diff) as LineDiff),
  };
}

/** Oldest first, each with its complete text, replayed from the last full copy before the first. */
export async function listBlockVersions(
  scope: Scope,
  blockId: string,
  range: { readonly from?: number; readonly to?: number } = {},
): Promise<BlockVersion[]> {
  const { from = 1, to = Number.MAX_SAFE_INTEGER } = range;
  const copy = scope
    .select("block_version")
    .select(({ fn }) => fn.max("version").as("version"))
    .where("block_id", "=", blockId)
    .where("version", "<=", from)
    .where("value", "is not", null);
  const rows = await scope
    .select("block_version")
    .select([...headColumns, "value", "diff"])
    .where("block_id", "=", blockId)
    .where("version", ">=", sql<number>`coalesce(${copy}, 0)`)
    .where("version", "<=", Math.min(to, maxVersion))
    .orderBy("version")
    .execute();
  if (rows.length === 0) throw notFound("block", blockId);
  let text = "";
  const versions = rows.map((row): BlockVersion => {
    const { diff, value, ...head } = readChange(row);
    text = value ?? (diff ? applyLineDiff(text, diff) : text);
    return { ...head, value: text };
  });
  return versions.filter(({ version }) => version >= from);
}

/** Versions are 32-bit integers. */
const maxVersion = 2_147_483_647;

export async function getBlockVersion(scope: Scope, blockId: string, version: number): Promise<BlockVersion> {
  const [found] = await listBlockVersions(scope, blockId, { from: version, to: version });
  if (found) return found;
  throw noSuchVersion({ id: blockId }, version);
}

export function noSuchVersion(block: { readonly id: string; readonly version?: number }, version: number): MemoirError {
  const newest = block.version === undefined ? "" : `; its newest is ${block.version}`;
  return new MemoirError("not-found", `block "${block.id}" has no version ${version}${newest}`, {
    details: { entity: "version", id: String(version), field: "version" },
  });
}

/** The version of each block at a timestamp; blocks created later are omitted. */
export async function findVersionsAt(
  scope: Scope,
  blockIds: readonly string[],
  at: number,
): Promise<Map<string, number>> {
  if (blockIds.length === 0) return new Map();
  const rows = await scope
    .select("block_version")
    .select(({ fn }) => ["block_id", fn.max("version").as("version")])
    .where(isInList(scope, "block_version.block_id", blockIds))
    .where("created_at", "<=", at)
    .groupBy("block_id")
    .execute();
  return new Map(rows.map((row) => [row.block_id, Number(row.version)]));
}

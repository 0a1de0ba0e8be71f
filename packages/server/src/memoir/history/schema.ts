/** The past of memory blocks on the wire. */
import { z } from "zod";
import { optional, wireInteger, wireList, wireName } from "../../letta/shared/fields.ts";
import { idSchema } from "../../letta/shared/ids.ts";
import { queryBoolean, queryEnum, queryInteger } from "../../letta/shared/query.ts";
import { WireTime } from "../../letta/shared/time.ts";

export interface CauseWire {
  kind: "api" | "tool" | "import" | "system" | "restore";
  user_id: string | null;
  agent_id: string | null;
  run_id: string | null;
  step_id: string | null;
  tool_call_id: string | null;
  restored_version: number | null;
}

const CauseWire: z.ZodType<CauseWire> = z
  .strictObject({
    kind: z.enum(["api", "tool", "import", "system", "restore"]),
    user_id: z.string().nullable(),
    agent_id: z.string().nullable(),
    run_id: z.string().nullable(),
    step_id: z.string().nullable(),
    tool_call_id: z.string().nullable(),
    restored_version: z.int().nullable(),
  })
  .meta({ id: "MemoirBlockCause" });

export interface VersionHeadWire {
  version: number;
  label: string;
  description: string | null;
  limit: number;
  read_only: boolean;
  cause: CauseWire;
  created_at: string;
}

const headShape = {
  version: z.int(),
  label: z.string(),
  description: z.string().nullable(),
  limit: z.int(),
  read_only: z.boolean(),
  cause: CauseWire,
  created_at: z.string(),
};

export interface VersionWire extends VersionHeadWire {
  /** Null in a list that did not ask for texts. */
  value: string | null;
}

export const VersionWire: z.ZodType<VersionWire> = z
  .strictObject({ ...headShape, value: z.string().nullable() })
  .meta({ id: "MemoirBlockVersion" });

export interface HunkWire {
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
  lines: { kind: "same" | "removed" | "added"; text: string }[];
}

export const HunkWire: z.ZodType<HunkWire> = z
  .strictObject({
    old_start: z.int(),
    old_lines: z.int(),
    new_start: z.int(),
    new_lines: z.int(),
    lines: z.array(z.strictObject({ kind: z.enum(["same", "removed", "added"]), text: z.string() })),
  })
  .meta({ id: "MemoirDiffHunk" });

export interface DiffWire {
  block_id: string;
  from: VersionHeadWire;
  to: VersionHeadWire;
  hunks: HunkWire[];
  text: string;
}

const VersionHeadWire: z.ZodType<VersionHeadWire> = z.strictObject(headShape).meta({ id: "MemoirBlockVersionHead" });

export const DiffWire: z.ZodType<DiffWire> = z
  .strictObject({
    block_id: z.string(),
    from: VersionHeadWire,
    to: VersionHeadWire,
    hunks: z.array(HunkWire),
    text: z.string(),
  })
  .meta({ id: "MemoirBlockDiff" });

export interface BlameLineWire {
  line: number;
  text: string;
  version: number;
  written_at: string;
  cause: CauseWire;
  restored_in: number | null;
  message_id: string | null;
  input_message_ids: string[];
}

export interface BlameWire {
  block_id: string;
  label: string;
  version: number;
  lines: BlameLineWire[];
}

export const BlameWire: z.ZodType<BlameWire> = z
  .strictObject({
    block_id: z.string(),
    label: z.string(),
    version: z.int(),
    lines: z.array(
      z.strictObject({
        line: z.int(),
        text: z.string(),
        version: z.int(),
        written_at: z.string(),
        cause: CauseWire,
        restored_in: z.int().nullable(),
        message_id: z.string().nullable(),
        input_message_ids: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: "MemoirBlockBlame" });

export interface RestoredBlockWire {
  block_id: string;
  label: string;
  outcome: "restored" | "unchanged" | "younger";
  from_version: number | null;
  version_before: number;
  version: number;
  hunks: HunkWire[];
  text: string;
}

export interface RestoreWire {
  dry_run: boolean;
  blocks: RestoredBlockWire[];
}

export const RestoreWire: z.ZodType<RestoreWire> = z
  .strictObject({
    dry_run: z.boolean(),
    blocks: z.array(
      z.strictObject({
        block_id: z.string(),
        label: z.string(),
        outcome: z.enum(["restored", "unchanged", "younger"]),
        from_version: z.int().nullable(),
        version_before: z.int(),
        version: z.int(),
        hunks: z.array(HunkWire),
        text: z.string(),
      }),
    ),
  })
  .meta({ id: "MemoirRestore" });

export interface VersionListQuery {
  limit?: number;
  order?: "asc" | "desc";
  after?: number;
  before?: number;
  include_value?: boolean;
}

const queryVersion = queryInteger(1);

export const VersionListQuery: z.ZodType<VersionListQuery> = z.object({
  limit: queryInteger(1, 1000),
  order: queryEnum("asc", "desc"),
  after: queryVersion,
  before: queryVersion,
  include_value: queryBoolean,
});

export interface DiffQuery {
  from?: number;
  to?: number;
}

export const DiffQuery: z.ZodType<DiffQuery> = z.object({ from: queryVersion, to: queryVersion });

export interface BlameQuery {
  version?: number;
}

export const BlameQuery: z.ZodType<BlameQuery> = z.object({ version: queryVersion });

export interface VersionParams {
  block_id: string;
  version: number;
}

export const VersionParams: z.ZodType<VersionParams> = z.object({
  block_id: idSchema("block"),
  version: wireName
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().min(1)),
});

export interface RestoreBlockWire {
  version?: number;
  at?: string;
  expected_version?: number;
  dry_run?: boolean;
}

export const RestoreBlockWire: z.ZodType<RestoreBlockWire> = z
  .object({
    version: optional(wireInteger),
    at: optional(WireTime),
    expected_version: optional(wireInteger),
    dry_run: optional(z.boolean()),
  })
  .meta({ id: "MemoirRestoreBlock" });

export interface RestoreBlocksWire {
  block_ids: string[];
  at: string;
  dry_run?: boolean;
}

export const RestoreBlocksWire: z.ZodType<RestoreBlocksWire> = z
  .object({ block_ids: wireList(idSchema("block")), at: WireTime, dry_run: optional(z.boolean()) })
  .meta({ id: "MemoirRestoreBlocks" });

export interface RestoreMemoryWire {
  at: string;
  labels?: string[];
  dry_run?: boolean;
}

export const RestoreMemoryWire: z.ZodType<RestoreMemoryWire> = z
  .object({ at: WireTime, labels: optional(wireList(wireName)), dry_run: optional(z.boolean()) })
  .meta({ id: "MemoirRestoreMemory" });

/** The past of memory blocks between core and wire. */
import type {
  BlockBlame,
  BlockCause,
  BlockDiff,
  DiffHunk,
  ListedVersion,
  RestoredBlock,
  RestorePoint,
  VersionHead,
} from "@memoir/core";
import { fromWireTime, toWireTime } from "../../letta/shared/time.ts";
import type {
  BlameWire,
  CauseWire,
  DiffWire,
  HunkWire,
  RestoreBlockWire,
  RestoredBlockWire,
  RestoreWire,
  VersionHeadWire,
  VersionWire,
} from "./schema.ts";

function toCauseWire(cause: BlockCause): CauseWire {
  return {
    kind: cause.kind,
    user_id: cause.userId,
    agent_id: cause.agentId ?? null,
    run_id: cause.runId ?? null,
    step_id: cause.stepId ?? null,
    tool_call_id: cause.toolCallId ?? null,
    restored_version: cause.restoredVersion ?? null,
  };
}

function toVersionHeadWire(head: VersionHead): VersionHeadWire {
  return {
    version: head.version,
    label: head.label,
    description: head.description,
    limit: head.charLimit,
    read_only: head.readOnly,
    cause: toCauseWire(head.cause),
    created_at: toWireTime(head.createdAt),
  };
}

export function toVersionWire(version: ListedVersion): VersionWire {
  return {
    version: version.version,
    label: version.label,
    description: version.description,
    limit: version.charLimit,
    read_only: version.readOnly,
    cause: toCauseWire(version.cause),
    created_at: toWireTime(version.createdAt),
    value: version.value,
  };
}

export function toHunkWire(hunk: DiffHunk): HunkWire {
  return {
    old_start: hunk.oldStart,
    old_lines: hunk.oldLines,
    new_start: hunk.newStart,
    new_lines: hunk.newLines,
    lines: hunk.lines.map(({ kind, text }) => ({ kind, text })),
  };
}

export function toDiffWire(diff: BlockDiff): DiffWire {
  return {
    block_id: diff.blockId,
    from: toVersionHeadWire(diff.from),
    to: toVersionHeadWire(diff.to),
    hunks: diff.hunks.map(toHunkWire),
    text: diff.text,
  };
}

export function toBlameWire(blame: BlockBlame): BlameWire {
  return {
    block_id: blame.blockId,
    label: blame.label,
    version: blame.version,
    lines: blame.lines.map((line) => ({
      line: line.line,
      text: line.text,
      version: line.version,
      written_at: toWireTime(line.writtenAt),
      cause: toCauseWire(line.cause),
      restored_in: line.restoredIn,
      message_id: line.messageId,
      input_message_ids: [...line.inputMessageIds],
    })),
  };
}

function toRestoredBlockWire(block: RestoredBlock): RestoredBlockWire {
  return {
    block_id: block.blockId,
    label: block.label,
    outcome: block.outcome,
    from_version: block.fromVersion,
    version_before: block.versionBefore,
    version: block.version,
    hunks: block.hunks.map(toHunkWire),
    text: block.text,
  };
}

export function toRestoreWire(blocks: readonly RestoredBlock[], isDryRun: boolean): RestoreWire {
  return { dry_run: isDryRun, blocks: blocks.map(toRestoredBlockWire) };
}

export function fromRestorePoint({ version, at }: RestoreBlockWire): RestorePoint {
  return { version, at: at === undefined ? undefined : fromWireTime(at) };
}

/** Queries for repairing an agent, which also return rows that violate invariants. */
import { sql } from "kysely";
import { type RunEvent, type StopReason, statusOfReason } from "../../shared/events.ts";
import { type Conversation, conversationEntity } from "../conversations/conversations.ts";
import type { Scope } from "../engine/scope.ts";
import { appendEvents } from "../runs/run-log.ts";

/** All conversations that are not deleted, plus the default one in any case. */
export async function listAgentConversations(scope: Scope, agentId: string): Promise<Conversation[]> {
  const rows = await scope
    .select("conversation")
    .selectAll("conversation")
    .where("agent_id", "=", agentId)
    .where((eb) => eb.or([eb("deleted_at", "is", null), eb("is_default", "=", 1)]))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => conversationEntity.codec.decode(row));
}

/**
 * Locks the agent's conversations until the commit: a message in flight already has its sequence number and would fall
 * behind a new watermark. SQLite has a single writer anyway.
 */
export async function lockConversations(scope: Scope, agentId: string): Promise<void> {
  if (scope.flavor.name !== "postgres") return;
  await scope.select("conversation").select("id").where("agent_id", "=", agentId).orderBy("id").forUpdate().execute();
}

/** The message ids in the context, whether or not the messages exist. */
export async function listEntryIds(
  scope: Scope,
  { id, entryWatermark }: Pick<Conversation, "id" | "entryWatermark">,
): Promise<string[]> {
  const rows = await scope
    .select("context_entry")
    .select("message_id")
    .where("conversation_id", "=", id)
    .where("position", ">=", entryWatermark)
    .orderBy("position")
    .execute();
  return rows.map((row) => row.message_id);
}

/** Rows as stored; JSON columns may be malformed. */
export interface OpenRun {
  readonly id: string;
  readonly conversationId: string;
  readonly epoch: number;
  readonly status: string;
  readonly request: string;
  readonly events: number;
  /** The stop reason in its log, if any. */
  readonly loggedEnd: StopReason | undefined;
}

export async function listOpenRunRows(scope: Scope, agentId: string): Promise<OpenRun[]> {
  const runs = await scope
    .select("run")
    .select(["id", "conversation_id as conversationId", "epoch", "status", "request"])
    .where("agent_id", "=", agentId)
    .where("ended_at", "is", null)
    .orderBy("seq")
    .execute();
  const logs = await loadLogs(
    scope,
    runs.map(({ id }) => id),
  );
  return runs.map((run) => ({ ...run, events: 0, loggedEnd: undefined, ...logs.get(run.id) }));
}

async function loadLogs(
  scope: Scope,
  runIds: readonly string[],
): Promise<Map<string, Pick<OpenRun, "events" | "loggedEnd">>> {
  if (runIds.length === 0) return new Map();
  const isEnd = sql<boolean>`type = 'run-end'`;
  const rows = await scope
    .select("run_event")
    .select(["run_id", sql<number>`max(seq)`.as("events")])
    .select(sql<string | null>`max(case when ${isEnd} then payload end)`.as("end"))
    .where("run_id", "in", runIds)
    .groupBy("run_id")
    .execute();
  return new Map(
    rows.map((row) => {
      const end = row.end === null ? undefined : (JSON.parse(row.end) as { readonly reason: StopReason });
      return [row.run_id, { events: Number(row.events), loggedEnd: end?.reason }];
    }),
  );
}

/** Ends a run that cannot be driven, regardless of its owner, and appends the end to its log. */
export async function forceEndRun(scope: Scope, run: OpenRun, reason: StopReason, why: string): Promise<void> {
  const at = scope.now();
  const epoch = run.epoch + 1;
  const { numUpdatedRows } = await scope
    .update("run")
    .set({ status: statusOfReason(reason), stop_reason: reason, ended_at: at, updated_at: at, epoch })
    .where("id", "=", run.id)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n || run.loggedEnd !== undefined) return;
  const event: RunEvent = { type: "run-end", reason, failure: { code: "invalid-argument", message: why } };
  await appendEvents(scope, { id: run.id, epoch }, run.events, [event]);
}

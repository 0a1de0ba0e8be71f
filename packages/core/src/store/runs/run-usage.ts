/** Aggregates over all steps of runs. */
import { sql } from "kysely";
import type { ToolCall, Usage } from "../../shared/content.ts";
import { deleteById } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";
import { type Run, runEntity } from "./runs.ts";

export interface RunUsage extends Usage {
  readonly steps: number;
}

export async function sumRunUsage(scope: Scope, runId: string): Promise<RunUsage> {
  const total = (column: string) => sql<number | null>`sum(${sql.ref(`step.${column}`)})`;
  const row = await scope
    .select("step")
    .select([
      sql<number>`count(*)`.as("steps"),
      total("prompt_tokens").as("promptTokens"),
      total("completion_tokens").as("completionTokens"),
      total("total_tokens").as("totalTokens"),
      total("cached_tokens").as("cachedTokens"),
      total("cache_write_tokens").as("cacheWriteTokens"),
      total("reasoning_tokens").as("reasoningTokens"),
    ])
    .where("step.run_id", "=", runId)
    .executeTakeFirstOrThrow();
  const known = (value: number | null) => (value === null ? null : Number(value));
  return {
    steps: Number(row.steps),
    promptTokens: Number(row.promptTokens ?? 0),
    completionTokens: Number(row.completionTokens ?? 0),
    totalTokens: Number(row.totalTokens ?? 0),
    cachedTokens: known(row.cachedTokens),
    cacheWriteTokens: known(row.cacheWriteTokens),
    reasoningTokens: known(row.reasoningTokens),
  };
}

/** Each name once, in order of the first call. */
export async function listCalledTools(scope: Scope, runId: string): Promise<string[]> {
  const rows = await scope
    .select("message")
    .select("tool_calls")
    .where("run_id", "=", runId)
    .where("tool_calls", "is not", null)
    .orderBy("seq")
    .execute();
  const calls = rows.flatMap((row) => JSON.parse(row.tool_calls ?? "[]") as readonly ToolCall[]);
  return [...new Set(calls.map(({ name }) => name))];
}

/**
 * Deletes the run with its log, steps, traces and messages, except a summary that a context begins with and the system
 * message.
 */
export async function deleteRun(scope: Scope, { id }: Run): Promise<void> {
  await scope.delete("trace").where("run_id", "=", id).execute();
  await scope.delete("step").where("run_id", "=", id).execute();
  await scope.delete("message").where("run_id", "=", id).where("role", "not in", ["summary", "system"]).execute();
  await deleteById(scope, runEntity, id);
}

/** Of these conversations, the default ones. */
export async function findDefaultConversations(scope: Scope, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  const distinct = [...new Set(ids)];
  for (let start = 0; start < distinct.length; start += batchSize) {
    const rows = await scope
      .select("conversation")
      .select("id")
      .where("id", "in", distinct.slice(start, start + batchSize))
      .where("is_default", "=", 1)
      .execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}

const batchSize = 500;

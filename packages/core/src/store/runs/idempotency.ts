/** Maps idempotency keys to runs, so that a repeated request finds its run. */
import { findById } from "../engine/entity.ts";
import type { Scope } from "../engine/scope.ts";
import { type Run, runEntity } from "./runs.ts";

export async function findRunOfToken(scope: Scope, token: string): Promise<Run | undefined> {
  const row = await scope.select("idempotency_key").select("run_id").where("token", "=", token).executeTakeFirst();
  return row?.run_id ? await findById(scope, runEntity, row.run_id) : undefined;
}

export async function deleteOldTokens(scope: Scope, before: number, limit: number): Promise<number> {
  const old = await scope
    .select("idempotency_key")
    .select("token")
    .where("created_at", "<", before)
    .limit(limit)
    .execute();
  for (const { token } of old) await scope.delete("idempotency_key").where("token", "=", token).execute();
  return old.length;
}

/** Replaces the entry of a deleted run. */
export async function saveToken(scope: Scope, token: string, runId: string): Promise<void> {
  await scope.delete("idempotency_key").where("token", "=", token).execute();
  await scope.insertAll("idempotency_key", [{ token, run_id: runId, response: null, created_at: scope.now() }]);
}

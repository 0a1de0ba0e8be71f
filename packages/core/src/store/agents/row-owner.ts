/** Finds the agent that a row with its own id belongs to. */
import type { Scope } from "../engine/scope.ts";

export type OwnedTable = "run" | "step" | "message";

export interface Owner {
  readonly agentId: string | null;
  readonly conversationId: string | null;
}

export async function findOwner(scope: Scope, table: OwnedTable, id: string): Promise<Owner | undefined> {
  return await scope
    .select(table as "run")
    .select(["agent_id as agentId", "conversation_id as conversationId"])
    .where("id", "=", id)
    .executeTakeFirst();
}

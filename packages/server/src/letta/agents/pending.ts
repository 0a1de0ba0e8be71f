/** What an agent waits for, where a caller wants to see it on the agent. */
import type { Actor, AgentView, Memoir } from "@memoir/core";
import { toMessageWires, viewOf } from "../messages/mapper.ts";
import type { AgentIncludeQuery, AgentWire } from "./schema.ts";

/** The wires with their questions, if that was asked for. */
export async function withPending(
  memoir: Memoir,
  actor: Actor,
  views: readonly AgentView[],
  wires: readonly AgentWire[],
  { include = [] }: Pick<AgentIncludeQuery, "include">,
): Promise<AgentWire[]> {
  if (!include.includes("agent.pending_approval")) return [...wires];
  const kinds = new Map(views.map(({ agent }) => [agent.id, agent.kind]));
  return await Promise.all(
    wires.map(async (wire) => ({ ...wire, pending_approval: await findPending(memoir, actor, wire.id, kinds) })),
  );
}

async function findPending(
  memoir: Memoir,
  actor: Actor,
  agentId: string,
  kinds: ReadonlyMap<string, AgentView["agent"]["kind"]>,
): Promise<AgentWire["pending_approval"]> {
  const [pending] = await memoir.approvals.list(actor, { agentId }, { limit: 1, order: "desc" });
  const kind = kinds.get(agentId);
  if (!pending || !kind) return null;
  const items = toMessageWires([await memoir.messages.get(actor, pending.id)], viewOf(kind, {}));
  return items.find(({ message_type: type }) => type === "approval_request_message") ?? null;
}

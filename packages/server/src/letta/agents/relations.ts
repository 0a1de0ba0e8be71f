/** Which relations of an agent an answer carries. */
import { type AgentRelation, agentRelations } from "@memoir/core";
import type { AgentIncludeQuery } from "./schema.ts";

const included: Readonly<Record<string, readonly AgentRelation[]>> = {
  "agent.blocks": ["blocks", "tags"],
  "agent.identities": ["identities"],
  "agent.managed_group": ["group"],
  "agent.secrets": ["secrets"],
  "agent.sources": ["folders"],
  "agent.tags": ["tags"],
  "agent.tools": ["tools"],
};

/** The names older clients use. */
const legacy: Readonly<Record<string, AgentRelation>> = {
  identity_ids: "identities",
  memory: "blocks",
  multi_agent_group: "group",
  secrets: "secrets",
  sources: "folders",
  tags: "tags",
  tool_exec_environment_variables: "secrets",
  tools: "tools",
};

/** Current clients get what they name; older ones everything, unless they name something. */
export function includedRelations(
  query: Pick<AgentIncludeQuery, "include" | "include_relationships">,
  isCurrentClient: boolean,
): ReadonlySet<AgentRelation> {
  const names = query.include_relationships;
  if (names === undefined && query.include === undefined && !isCurrentClient) return new Set(agentRelations);
  return new Set([
    ...(query.include ?? []).flatMap((name) => included[name] ?? []),
    ...(names ?? []).flatMap((name) => legacy[name] ?? []),
  ]);
}

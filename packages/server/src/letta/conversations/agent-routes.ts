/** An agent's default conversation, by the agent's own paths. */
import type { Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toAgentWire } from "../agents/mapper.ts";
import { AgentParams, AgentWire } from "../agents/schema.ts";
import { AgentRecompileQuery, ResetMessagesWire } from "./schema.ts";

const tag = "agents";

export function agentConversationRoutes(memoir: Memoir): Route[] {
  const recompile = {
    method: "POST" as const,
    summary: "Compile an agent's system message anew",
    tag,
    access: "member" as const,
    scope: "none" as const,
    params: AgentParams,
    query: AgentRecompileQuery,
    response: z.string(),
    handler: ({ actor, params, query }: Parameters<Recompile>[0]) =>
      memoir.conversations.recompile(actor, { agentId: params.agent_id }, { isDryRun: query.dry_run }),
  };
  return [
    defineRoute({ ...recompile, path: "/v1/agents/{agent_id}/recompile", operationId: "recompile_agent" }),
    defineRoute({
      ...recompile,
      path: "/v1/agents/{agent_id}/system-prompt/recompile",
      operationId: "recompile_agent_system_prompt",
      isDeprecated: true,
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/reset-messages",
      operationId: "reset_messages",
      summary: "Empty an agent's context; what was said stays in its recall memory",
      tag,
      access: "member",
      scope: "agent",
      params: AgentParams,
      body: ResetMessagesWire,
      scopedFields: { add_default_initial_messages: "free" },
      response: AgentWire,
      handler: async ({ actor, params, body }) => {
        const { agent_id: agentId } = params;
        const withBootSequence = body.add_default_initial_messages ?? false;
        await memoir.conversations.reset(actor, { agentId }, { withBootSequence });
        return toAgentWire(await memoir.agents.get(actor, agentId), actor);
      },
    }),
  ];
}

type Recompile = Route<AgentParams, { dry_run?: boolean }, unknown, string>["handler"];

/** The tools of an agent. Current clients get nothing back where older ones get the whole agent. */
import { type Actor, type Memoir, MemoirError } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { toAgentWire } from "../agents/mapper.ts";
import { AgentParams, AgentWire } from "../agents/schema.ts";
import { setNotices } from "../shared/notices.ts";
import { pageShape, toPage } from "../shared/paging.ts";
import { toToolWire } from "./mapper.ts";
import { toToolResultWire } from "./request-mapper.ts";
import {
  AgentToolNameParams,
  AgentToolParams,
  ApprovalQuery,
  ApprovalWire,
  RunToolWire,
  ToolResultWire,
} from "./request-schema.ts";
import { ToolWire } from "./schema.ts";

const tag = "agents";

export function agentToolRoutes(memoir: Memoir): Route[] {
  const answer = async (actor: Actor, agentId: string, isCurrentClient: boolean): Promise<AgentWire | null> =>
    isCurrentClient ? null : toAgentWire(await memoir.agents.get(actor, agentId), actor);
  return [
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/tools",
      operationId: "list_tools_for_agent",
      summary: "List an agent's tools",
      tag,
      access: "read",
      scope: "none",
      params: AgentParams,
      query: z.object(pageShape),
      response: z.array(ToolWire),
      handler: async ({ actor, params, query }) => {
        const page = toPage(query, { limit: 10, order: "desc" });
        return (await memoir.agentTools.list(actor, params.agent_id, page)).map(toToolWire);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/tools/attach/{tool_id}",
      operationId: "attach_tool_to_agent",
      summary: "Attach a tool to an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentToolParams,
      response: AgentWire.nullable(),
      handler: async ({ actor, params, isCurrentClient, reply }) => {
        const { notices } = await memoir.agentTools.attach(actor, params.agent_id, params.tool_id);
        setNotices(reply, notices);
        return await answer(actor, params.agent_id, isCurrentClient);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/tools/detach/{tool_id}",
      operationId: "detach_tool_from_agent",
      summary: "Detach a tool from an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentToolParams,
      response: AgentWire.nullable(),
      handler: async ({ actor, params, isCurrentClient }) => {
        await memoir.agentTools.detach(actor, params.agent_id, params.tool_id);
        return await answer(actor, params.agent_id, isCurrentClient);
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/tools/approval/{tool_name}",
      operationId: "modify_approval_for_tool",
      summary: "Say whether calls of a tool wait for approval",
      tag,
      access: "member",
      scope: "none",
      params: AgentToolNameParams,
      query: ApprovalQuery,
      body: ApprovalWire,
      isBodyOptional: true,
      response: AgentWire.nullable(),
      handler: async ({ actor, params, query, body, isCurrentClient }) => {
        const input = body.requires_approval ?? body.body_requires_approval ?? query.requires_approval;
        const isNeeded = readApproval(input);
        await memoir.agentTools.setApproval(actor, params.agent_id, params.tool_name, isNeeded);
        return await answer(actor, params.agent_id, isCurrentClient);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/{agent_id}/tools/{tool_name}/run",
      operationId: "run_tool_for_agent",
      summary: "Call a tool of an agent by hand",
      tag,
      access: "member",
      scope: "none",
      params: AgentToolNameParams,
      body: RunToolWire,
      isBodyOptional: true,
      response: ToolResultWire,
      handler: async ({ actor, params, body }) =>
        toToolResultWire(await memoir.agentTools.run(actor, params.agent_id, params.tool_name, body.args ?? {})),
    }),
  ];
}

function readApproval(input: boolean | undefined): boolean {
  if (input !== undefined) return input;
  throw new MemoirError("invalid-input", "requires_approval is missing: send true or false", {
    details: { field: "requires_approval" },
  });
}

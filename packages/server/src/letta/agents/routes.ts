/** `/v1/agents`: agents, the blocks they hold and the identities they know. */
import { isId, type Memoir, MemoirError } from "@memoir/core";
import { z } from "zod";
import { isScoped } from "../../caller.ts";
import { defineRoute, type Route } from "../../route.ts";
import { fromBlockUpdate, toBlockWire } from "../blocks/mapper.ts";
import { BlockUpdateWire, BlockWire } from "../blocks/schema.ts";
import { blockFields } from "../blocks/scoped-fields.ts";
import { Count, Nothing } from "../shared/fields.ts";
import { setNotices } from "../shared/notices.ts";
import { pageShape, toPage } from "../shared/paging.ts";
import { echoSecrets, secretSight } from "../shared/secret-values.ts";
import {
  fromAgentFilter,
  fromAgentOrder,
  fromCreateAgent,
  fromUpdateAgent,
  givenSecrets,
  toAgentWire,
  toMemoryWire,
} from "./mapper.ts";
import { withPending } from "./pending.ts";
import { includedRelations } from "./relations.ts";
import {
  AgentBlockParams,
  AgentCreateQuery,
  AgentFilterQuery,
  AgentIdentityParams,
  AgentLabelParams,
  AgentListQuery,
  AgentParams,
  AgentRetrieveQuery,
  AgentWire,
  CreateAgentWire,
  DeletedWire,
  MemoryWire,
  UpdateAgentWire,
} from "./schema.ts";

const tag = "agents";

export interface AgentRouteOptions {
  /** Whether values of secrets can be read back. */
  readonly showsSecrets: boolean;
}

export function agentRoutes(memoir: Memoir, { showsSecrets }: AgentRouteOptions): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/agents/",
      operationId: "list_agents",
      summary: "List agents",
      tag,
      access: "read",
      scope: "none",
      query: AgentListQuery,
      response: z.array(AgentWire),
      handler: async ({ actor, caller, query, isCurrentClient }) => {
        const views = await memoir.agents.list(actor, {
          filter: fromAgentFilter(query),
          page: toPage(query, { limit: 50, order: "desc" }),
          orderBy: fromAgentOrder(query),
          relations: includedRelations(query, isCurrentClient),
        });
        const show = secretSight(showsSecrets, caller);
        const wires = views.map((view) => toAgentWire(view, actor, show));
        return await withPending(memoir, actor, views, wires, query);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/agents/",
      operationId: "create_agent",
      summary: "Create an agent",
      tag,
      access: "member",
      scope: "none",
      query: AgentCreateQuery,
      body: CreateAgentWire,
      response: AgentWire,
      handler: async ({ actor, query, body, reply }) => {
        const view = await memoir.agents.create(actor, fromCreateAgent(body, query));
        setNotices(reply, memoir.agents.notices(view));
        return toAgentWire(view, actor, echoSecrets(givenSecrets(body)));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/agents/count",
      operationId: "count_agents",
      summary: "Count agents",
      tag,
      access: "read",
      scope: "none",
      query: AgentFilterQuery,
      response: Count,
      handler: ({ actor, query }) => memoir.agents.count(actor, fromAgentFilter(query)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}",
      operationId: "retrieve_agent",
      summary: "Retrieve an agent",
      tag,
      access: "read",
      scope: "agent",
      params: AgentParams,
      query: AgentRetrieveQuery,
      response: AgentWire,
      handler: async ({ actor, caller, params, query, isCurrentClient }) => {
        const relations = includedRelations(query, isCurrentClient);
        const view = await memoir.agents.get(actor, params.agent_id, relations);
        const shown = toAgentWire(view, actor, secretSight(showsSecrets, caller));
        const [wire] = await withPending(memoir, actor, [view], [shown], query);
        return wire as AgentWire;
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}",
      operationId: "modify_agent",
      summary: "Update an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentParams,
      body: UpdateAgentWire,
      response: AgentWire,
      handler: async ({ actor, params, body, reply }) => {
        const view = await memoir.agents.update(actor, params.agent_id, fromUpdateAgent(body));
        setNotices(reply, memoir.agents.notices(view));
        return toAgentWire(view, actor, echoSecrets(givenSecrets(body)));
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/agents/{agent_id}",
      operationId: "delete_agent",
      summary: "Delete an agent with its messages; blocks and tools stay",
      tag,
      access: "member",
      scope: "none",
      params: AgentParams,
      response: DeletedWire,
      handler: async ({ actor, params }) => {
        await memoir.agents.delete(actor, params.agent_id);
        return { message: `Agent id=${params.agent_id} successfully deleted` };
      },
    }),
    ...agentBlockRoutes(memoir),
    ...agentIdentityRoutes(memoir),
  ];
}

function agentBlockRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/core-memory",
      operationId: "retrieve_agent_memory",
      summary: "Retrieve an agent's core memory",
      tag,
      access: "read",
      scope: "agent",
      isDeprecated: true,
      params: AgentParams,
      response: MemoryWire,
      handler: async ({ actor, params }) => {
        const relations = new Set(["blocks", "tags"] as const);
        return toMemoryWire(await memoir.agents.get(actor, params.agent_id, relations));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/core-memory/blocks",
      operationId: "list_core_memory_blocks",
      summary: "List an agent's blocks",
      tag,
      access: "read",
      scope: "agent",
      params: AgentParams,
      query: z.object(pageShape),
      response: z.array(BlockWire),
      handler: async ({ actor, params, query }) => {
        const page = toPage(query, { limit: 100, order: "desc" });
        return (await memoir.blocks.listOfAgent(actor, params.agent_id, page)).map(toBlockWire);
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/agents/{agent_id}/core-memory/blocks/{block_label}",
      operationId: "retrieve_core_memory_block",
      summary: "Retrieve one of an agent's blocks by its label",
      tag,
      access: "read",
      scope: "agent",
      params: AgentLabelParams,
      response: BlockWire,
      handler: async ({ actor, params }) =>
        toBlockWire(await memoir.blocks.getOfAgent(actor, params.agent_id, params.block_label)),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/core-memory/blocks/{block_label}",
      operationId: "modify_core_memory_block",
      summary: "Update one of an agent's blocks by its label",
      tag,
      access: "member",
      scope: "agent",
      params: AgentLabelParams,
      body: BlockUpdateWire,
      scopedFields: blockFields,
      response: BlockWire,
      handler: async ({ actor, caller, params, body }) => {
        const { agent_id, block_label } = params;
        const options = { respectsReadOnly: isScoped(caller) };
        const update = fromBlockUpdate(body);
        return toBlockWire(await memoir.blocks.updateOfAgent(actor, agent_id, block_label, update, options));
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/core-memory/blocks/attach/{block_id}",
      operationId: "attach_core_memory_block",
      summary: "Attach a block to an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentBlockParams,
      response: AgentWire,
      handler: async ({ actor, params }) =>
        toAgentWire(await memoir.agents.attachBlock(actor, params.agent_id, params.block_id), actor),
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/core-memory/blocks/detach/{block_id}",
      operationId: "detach_core_memory_block",
      summary: "Detach a block from an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentBlockParams,
      response: AgentWire,
      handler: async ({ actor, params }) =>
        toAgentWire(await memoir.agents.detachBlock(actor, params.agent_id, params.block_id), actor),
    }),
  ];
}

function agentIdentityRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/identities/attach/{identity_id}",
      operationId: "attach_identity_to_agent",
      summary: "Attach an identity to an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentIdentityParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        rejectOddIdentity(params.identity_id);
        await memoir.agents.attachIdentity(actor, params.agent_id, params.identity_id);
        return null;
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/agents/{agent_id}/identities/detach/{identity_id}",
      operationId: "detach_identity_from_agent",
      summary: "Detach an identity from an agent",
      tag,
      access: "member",
      scope: "none",
      params: AgentIdentityParams,
      response: Nothing,
      handler: async ({ actor, params }) => {
        rejectOddIdentity(params.identity_id);
        await memoir.agents.detachIdentity(actor, params.agent_id, params.identity_id);
        return null;
      },
    }),
  ];
}

function rejectOddIdentity(id: string): void {
  if (isId("identity", id)) return;
  throw new MemoirError("invalid-argument", `Invalid identity ID format: ${id}. Expected format: 'identity-<uuid4>'`);
}

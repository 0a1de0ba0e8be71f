/** `/v1/_internal_templates`: makes what a template describes, and finds or deletes all of it by its deployment. */
import type { DeployedEntity, DeployedKind, Memoir } from "@memoir/core";
import { z } from "zod";
import { defineRoute, type Route } from "../../route.ts";
import { fromCreateAgent, toAgentWire } from "../agents/mapper.ts";
import { AgentWire } from "../agents/schema.ts";
import { fromCreateBlock, toBlockWire } from "../blocks/mapper.ts";
import { BlockWire } from "../blocks/schema.ts";
import { fromCreateGroup, toGroupWire } from "../groups/mapper.ts";
import { GroupWire } from "../groups/schema.ts";
import { wireList } from "../shared/fields.ts";
import {
  DeletedDeploymentWire,
  DeploymentParams,
  DeploymentQuery,
  DeploymentWire,
  type Origin,
  readKinds,
  TemplateAgentWire,
  TemplateBlockWire,
  TemplateGroupWire,
} from "./template-schema.ts";

const tag = "_internal_templates";

export function templateRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/_internal_templates/groups",
      operationId: "create_internal_template_group",
      summary: "Create a group from a template",
      tag,
      access: "admin",
      scope: "none",
      body: TemplateGroupWire,
      response: GroupWire,
      handler: async ({ actor, body }) =>
        toGroupWire(await memoir.groups.create(actor, { ...fromCreateGroup(body), ...fromOrigin(body) })),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/_internal_templates/agents",
      operationId: "create_internal_template_agent",
      summary: "Create an agent from a template",
      tag,
      access: "admin",
      scope: "none",
      body: TemplateAgentWire,
      response: AgentWire,
      handler: async ({ actor, body }) => {
        const input = { ...fromCreateAgent(body), ...fromOrigin(body), entityId: body.entity_id };
        return toAgentWire(await memoir.agents.create(actor, input), actor);
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/_internal_templates/blocks",
      operationId: "create_internal_template_block",
      summary: "Create a block from a template",
      tag,
      access: "admin",
      scope: "none",
      body: TemplateBlockWire,
      response: BlockWire,
      handler: async ({ actor, body }) => toBlockWire(await memoir.blocks.create(actor, fromCreateBlock(body))),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/_internal_templates/blocks/batch",
      operationId: "create_internal_template_blocks_batch",
      summary: "Create several blocks from a template, all or none",
      tag,
      access: "admin",
      scope: "none",
      body: wireList(TemplateBlockWire, { max: 1000 }),
      response: z.array(BlockWire),
      handler: async ({ actor, body }) =>
        (await memoir.blocks.createAll(actor, body.map(fromCreateBlock))).map(toBlockWire),
    }),
    ...deploymentRoutes(memoir),
  ];
}

function deploymentRoutes(memoir: Memoir): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/v1/_internal_templates/deployment/{deployment_id}",
      operationId: "list_deployment_entities",
      summary: "List what was made together",
      tag,
      access: "admin",
      scope: "none",
      params: DeploymentParams,
      query: DeploymentQuery,
      response: DeploymentWire,
      handler: async ({ actor, params, query }) => {
        const { deployment_id } = params;
        const entities = await memoir.deployments.list(actor, deployment_id, readKinds(query.entity_types));
        return {
          entities: entities.map(toEntityWire),
          total_count: entities.length,
          deployment_id,
          message: `Found ${entities.length} entities for deployment ${deployment_id}`,
        };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/_internal_templates/deployment/{deployment_id}",
      operationId: "delete_deployment",
      summary: "Delete what was made together, all or nothing",
      tag,
      access: "admin",
      scope: "none",
      params: DeploymentParams,
      response: DeletedDeploymentWire,
      handler: async ({ actor, params }) => {
        const deleted = await memoir.deployments.delete(actor, params.deployment_id);
        const idsOf = (kind: DeployedKind) => deleted.filter((entity) => entity.kind === kind).map(({ id }) => id);
        return {
          deleted_blocks: idsOf("block"),
          deleted_agents: idsOf("agent"),
          deleted_groups: idsOf("group"),
          message: `Deleted ${deleted.length} entities of deployment ${params.deployment_id}`,
        };
      },
    }),
  ];
}

function fromOrigin({ template_id, base_template_id, deployment_id }: Origin) {
  return { templateId: template_id, baseTemplateId: base_template_id, deploymentId: deployment_id };
}

function toEntityWire(entity: DeployedEntity) {
  return {
    id: entity.id,
    type: entity.kind,
    name: entity.name,
    description: entity.description,
    entity_id: entity.entityId,
    project_id: entity.projectId,
  };
}

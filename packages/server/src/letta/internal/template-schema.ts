/** What is made from a template, on the wire: the usual requests with the ids of the template and of what it was made for. */
import { deployedKinds } from "@memoir/core";
import { z } from "zod";
import { type CreateAgentWire, createAgentShape } from "../agents/schema.ts";
import { type CreateBlockWire, createBlockShape } from "../blocks/schema.ts";
import { type CreateGroupWire, createGroupShape } from "../groups/schema.ts";
import { wireName, wireText } from "../shared/fields.ts";
import { queryTexts } from "../shared/query.ts";

const origin = { template_id: wireName, base_template_id: wireName, deployment_id: wireName };

export interface Origin {
  template_id: string;
  base_template_id: string;
  deployment_id: string;
}

export type TemplateAgentWire = CreateAgentWire & Origin & { entity_id: string };

export const TemplateAgentWire: z.ZodType<TemplateAgentWire> = z
  .object({ ...createAgentShape, ...origin, entity_id: wireName })
  .meta({ id: "InternalTemplateAgentCreate" });

export type TemplateBlockWire = CreateBlockWire & Origin & { entity_id: string; value: string };

export const TemplateBlockWire: z.ZodType<TemplateBlockWire> = z
  .object({ ...createBlockShape, ...origin, entity_id: wireName, value: wireText })
  .meta({ id: "InternalTemplateBlockCreate" });

export type TemplateGroupWire = CreateGroupWire & Origin;

export const TemplateGroupWire: z.ZodType<TemplateGroupWire> = z
  .object({ ...createGroupShape, ...origin })
  .meta({ id: "InternalTemplateGroupCreate" });

export interface DeploymentWire {
  entities: {
    id: string;
    type: string;
    name: string | null;
    description: string | null;
    entity_id: string | null;
    project_id: string | null;
  }[];
  total_count: number;
  deployment_id: string;
  message: string;
}

const DeploymentEntity = z
  .strictObject({
    id: z.string(),
    type: z.string(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    entity_id: z.string().nullable(),
    project_id: z.string().nullable(),
  })
  .meta({ id: "DeploymentEntity" });

export const DeploymentWire: z.ZodType<DeploymentWire> = z
  .strictObject({
    entities: z.array(DeploymentEntity),
    total_count: z.int(),
    deployment_id: z.string(),
    message: z.string(),
  })
  .meta({ id: "ListDeploymentEntitiesResponse" });

export interface DeletedDeploymentWire {
  deleted_blocks: string[];
  deleted_agents: string[];
  deleted_groups: string[];
  message: string;
}

export const DeletedDeploymentWire: z.ZodType<DeletedDeploymentWire> = z
  .strictObject({
    deleted_blocks: z.array(z.string()),
    deleted_agents: z.array(z.string()),
    deleted_groups: z.array(z.string()),
    message: z.string(),
  })
  .meta({ id: "DeleteDeploymentResponse" });

export const DeploymentParams = z.object({ deployment_id: wireName });

export const DeploymentQuery = z.object({ entity_types: queryTexts });

/** Kinds that do not exist are in no deployment. */
export function readKinds(names: readonly string[] | undefined) {
  return names && deployedKinds.filter((kind) => names.includes(kind));
}

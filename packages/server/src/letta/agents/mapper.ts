/** Agents between core and wire. */
import {
  type Actor,
  type AgentFilter,
  type AgentOrder,
  type AgentSecret,
  type AgentUpdate,
  type AgentView,
  type InitialMessage,
  type NewAgent,
  omitUndefined,
} from "@memoir/core";
import { fromCreateBlock, toBlockWire } from "../blocks/mapper.ts";
import { toFileBlockWire } from "../folders/file-block.ts";
import { toSourceWire } from "../folders/mapper.ts";
import { toGroupWire } from "../groups/mapper.ts";
import { toIdentityWire } from "../identities/mapper.ts";
import {
  fromCompaction,
  fromEmbeddingConfig,
  fromLlmConfig,
  fromModelSettings,
  toCompactionWire,
  toEmbeddingConfigWire,
  toLlmConfigWire,
  toModelSettingsWire,
} from "../models/mapper.ts";
import { notYet } from "../shared/not-yet.ts";
import { fromSecretWire, maskSecret, type ShowSecret } from "../shared/secret-values.ts";
import { fromWireTime, toWireTime } from "../shared/time.ts";
import { fromToolRule, toToolRuleWire, toToolWire } from "../tools/mapper.ts";
import { fromToolPermissions, toToolPermissionsWire } from "../tools/permissions-mapper.ts";
import type {
  AgentCreateQuery,
  AgentFieldsWire,
  AgentFilterQuery,
  AgentListQuery,
  AgentSecretWire,
  AgentWire,
  CreateAgentWire,
  InitialMessageWire,
  MemoryWire,
  UpdateAgentWire,
} from "./schema.ts";

export function toAgentWire(view: AgentView, actor: Actor, show: ShowSecret = maskSecret): AgentWire {
  const { agent } = view;
  const group = view.group && toGroupWire(view.group);
  const secrets = view.secrets.map((secret) => toSecretWire(secret, agent.id, actor, show));
  const memory = toMemoryWire(view);
  return {
    created_by_id: agent.createdBy,
    last_updated_by_id: agent.updatedBy,
    created_at: toWireTime(agent.createdAt),
    updated_at: toWireTime(agent.updatedAt),
    id: agent.id,
    name: agent.name,
    tool_rules: agent.toolRules.map(toToolRuleWire),
    message_ids: [...view.contextMessageIds],
    system: agent.system,
    agent_type: agent.kind,
    llm_config: toLlmConfigWire(agent.model),
    embedding_config: agent.embedding && toEmbeddingConfigWire(agent.embedding),
    model: agent.model.handle,
    embedding: agent.embedding?.handle ?? null,
    model_settings: toModelSettingsWire(agent.model),
    compaction_settings: toCompactionWire(agent.compaction),
    response_format: agent.responseFormat as AgentWire["response_format"],
    description: agent.description,
    metadata: agent.metadata,
    memory,
    blocks: memory.blocks,
    tools: view.tools.map(toToolWire),
    sources: view.folders.map((folder) => toSourceWire(folder, actor.orgId)),
    tags: [...view.tags],
    tool_exec_environment_variables: secrets,
    secrets,
    project_id: agent.projectId,
    template_id: agent.templateId,
    base_template_id: agent.baseTemplateId,
    deployment_id: agent.deploymentId,
    entity_id: agent.entityId,
    identity_ids: view.identities.map(({ id }) => id),
    identities: view.identities.map((identity) => toIdentityWire(identity, actor)),
    pending_approval: null,
    message_buffer_autoclear: agent.autoclear,
    enable_sleeptime: agent.sleeptime,
    multi_agent_group: group,
    managed_group: group,
    last_run_completion: toWireTime(agent.lastRunAt),
    last_run_duration_ms: agent.lastRunMs,
    last_stop_reason: agent.lastStopReason,
    timezone: agent.timezone,
    max_files_open: agent.maxFilesOpen,
    per_file_view_window_char_limit: agent.fileViewChars,
    hidden: agent.hidden,
    ...(agent.toolPermissions ? { tool_permissions: toToolPermissionsWire(agent.toolPermissions) } : {}),
  };
}

export function toMemoryWire({ agent, blocks, files, tags }: AgentView): MemoryWire {
  return {
    agent_type: agent.kind,
    git_enabled: tags.includes("git-memory-enabled"),
    // The old server shows tags on a block by itself and in lists of blocks, not inside an agent.
    blocks: blocks.map((block) => ({ ...toBlockWire(block), tags: [] })),
    file_blocks: files.map((file) => toFileBlockWire(file, agent.fileViewChars)),
    prompt_template: "",
  };
}

function toSecretWire(secret: AgentSecret, agentId: string, { orgId }: Actor, show: ShowSecret): AgentSecretWire {
  return {
    created_by_id: null,
    last_updated_by_id: null,
    created_at: null,
    updated_at: null,
    id: secret.id,
    key: secret.name,
    value: show(secret.name, secret.value),
    description: secret.description,
    organization_id: orgId,
    value_enc: null,
    agent_id: agentId,
  };
}

const noMultiAgentTools =
  "Memoir cannot run the tools by which agents write to each other yet. Leave include_multi_agent_tools out.";

/** Two names for the same; the current one wins. */
export function givenSecrets(wire: Pick<AgentFieldsWire, "secrets" | "tool_exec_environment_variables">) {
  return wire.secrets ?? wire.tool_exec_environment_variables;
}

export function fromCreateAgent(wire: CreateAgentWire, query: AgentCreateQuery = {}): NewAgent {
  if (wire.include_multi_agent_tools) throw notYet(noMultiAgentTools);
  return {
    ...fromFields(wire),
    ...omitUndefined({
      checkModel: query.check_model,
      kind: wire.agent_type,
      blocks: wire.memory_blocks?.map(fromCreateBlock),
      tools: wire.tools,
      includeBaseTools: wire.include_base_tools,
      includeBaseToolRules: wire.include_base_tool_rules,
      includeDefaultFolder: wire.include_default_source,
      embeddingChunkSize: wire.embedding_chunk_size,
      maxReasoningTokens: wire.max_reasoning_tokens,
      reasoning: wire.reasoning ?? (wire.enable_reasoner === false ? false : undefined),
      initialMessages: wire.initial_message_sequence?.map(fromInitialMessage),
    }),
  };
}

export function fromUpdateAgent(wire: UpdateAgentWire): AgentUpdate {
  return {
    ...fromFields(wire),
    ...omitUndefined({
      contextMessageIds: wire.message_ids,
      lastRunAt: wire.last_run_completion === undefined ? undefined : fromWireTime(wire.last_run_completion),
      lastRunMs: wire.last_run_duration_ms,
      lastStopReason: wire.last_stop_reason,
    }),
  };
}

function fromFields(wire: AgentFieldsWire) {
  return omitUndefined({
    name: wire.name,
    description: wire.description,
    metadata: wire.metadata,
    system: wire.system,
    toolIds: wire.tool_ids,
    blockIds: wire.block_ids,
    folderIds: wire.folder_ids ?? wire.source_ids,
    identityIds: wire.identity_ids,
    tags: wire.tags,
    toolRules: wire.tool_rules?.map(fromToolRule),
    toolPermissions: wire.tool_permissions && fromToolPermissions(wire.tool_permissions),
    model: wire.model,
    modelConfig: wire.llm_config && fromLlmConfig(wire.llm_config),
    modelSettings: wire.model_settings && fromModelSettings(wire.model_settings),
    embedding: wire.embedding,
    embeddingConfig: wire.embedding_config && fromEmbeddingConfig(wire.embedding_config),
    compaction: wire.compaction_settings && fromCompaction(wire.compaction_settings),
    contextWindow: wire.context_window_limit,
    maxOutputTokens: wire.max_tokens,
    reasoning: wire.reasoning,
    parallelToolCalls: wire.parallel_tool_calls,
    responseFormat: wire.response_format,
    secrets: fromSecretWire(givenSecrets(wire)),
    autoclear: wire.message_buffer_autoclear,
    sleeptime: wire.enable_sleeptime,
    timezone: wire.timezone,
    maxFilesOpen: wire.max_files_open,
    fileViewChars: wire.per_file_view_window_char_limit,
    hidden: wire.hidden,
    projectId: wire.project_id,
    templateId: wire.template_id,
    baseTemplateId: wire.base_template_id,
  });
}

function fromInitialMessage(wire: InitialMessageWire): InitialMessage {
  const text = typeof wire.content === "string" ? wire.content : wire.content.map((part) => part.text).join("\n");
  return { role: wire.role, text, name: wire.name, otid: wire.otid, senderId: wire.sender_id };
}

export function fromAgentFilter(query: AgentFilterQuery): AgentFilter {
  return {
    name: query.name,
    search: query.query_text,
    tags: query.tags,
    matchAllTags: query.match_all_tags,
    identityId: query.identity_id,
    identifierKeys: query.identifier_keys,
    projectId: query.project_id,
    templateId: query.template_id,
    baseTemplateId: query.base_template_id,
    lastStopReason: query.last_stop_reason,
    createdBy: query.created_by_id,
    showHidden: query.show_hidden_agents,
  };
}

const orders: Readonly<Record<string, AgentOrder>> = {
  created_at: "created_at",
  updated_at: "updated_at",
  last_run_completion: "last_run_at",
};

export function fromAgentOrder({ order_by, sort_by }: AgentListQuery): AgentOrder {
  const wanted = order_by ?? sort_by ?? "";
  return (Object.hasOwn(orders, wanted) ? orders[wanted] : undefined) ?? "created_at";
}

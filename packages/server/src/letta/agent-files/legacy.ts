/** The older format: one agent, its blocks and tools inside it, messages without ids. It is turned into the current one. */
import { type JsonObject, MemoirError } from "@memoir/core";
import { z } from "zod";
import { optional, WireObject, wireList, wireName } from "../shared/fields.ts";
import { agentBodyShape, type FileAgentBody } from "./agent-schema.ts";
import { type AgentFileInput, BlockBody, type BlockInput, ToolBody, type ToolInput } from "./file-schema.ts";
import { FileMessageBody } from "./message-schema.ts";

export interface LegacyFile extends FileAgentBody {
  metadata_?: JsonObject;
  tags?: { tag: string }[];
  core_memory?: (Omit<BlockInput, "id"> & { metadata_?: JsonObject })[];
  tools?: Omit<ToolInput, "id">[];
  tool_exec_environment_variables?: { key: string; value?: string }[];
  messages?: FileMessageBody[];
  in_context_message_indices?: number[];
}

const LegacyBlock = z.intersection(BlockBody, z.object({ metadata_: optional(WireObject) }));

export const LegacyFile: z.ZodType<LegacyFile> = z.object({
  ...agentBodyShape,
  metadata_: optional(WireObject),
  tags: optional(wireList(z.object({ tag: wireName }))),
  core_memory: optional(wireList(LegacyBlock)),
  tools: optional(wireList(ToolBody)),
  tool_exec_environment_variables: optional(wireList(z.object({ key: wireName, value: optional(z.string()) }))),
  messages: optional(z.array(FileMessageBody)),
  in_context_message_indices: optional(z.array(z.int().min(0))),
});

/** What no file of another kind has. */
export function isLegacy(file: object): boolean {
  return "llm_config" in file && ("core_memory" in file || "in_context_message_indices" in file);
}

export function fromLegacy(file: LegacyFile): AgentFileInput {
  rejectOddIndices(file.in_context_message_indices ?? [], file.messages?.length ?? 0);
  const blocks = (file.core_memory ?? []).map((block, index) => ({
    ...block,
    id: `block-${index}`,
    metadata: block.metadata ?? block.metadata_,
  }));
  const tools = (file.tools ?? []).map((tool, index) => ({ ...tool, id: `tool-${index}` }));
  const messages = (file.messages ?? []).map((message, index) => ({ ...message, id: `message-${index}` }));
  const secrets = (file.tool_exec_environment_variables ?? []).map(({ key, value = "" }) => [key, value]);
  return {
    agents: [
      {
        id: "agent-0",
        name: file.name,
        agent_type: file.agent_type ?? "memgpt_agent",
        system: file.system,
        description: file.description,
        llm_config: file.llm_config,
        embedding_config: file.embedding_config,
        tool_rules: file.tool_rules,
        message_buffer_autoclear: file.message_buffer_autoclear,
        response_format: file.response_format,
        timezone: file.timezone,
        max_files_open: file.max_files_open,
        per_file_view_window_char_limit: file.per_file_view_window_char_limit,
        metadata: file.metadata_,
        tags: file.tags?.map(({ tag }) => tag),
        tool_ids: tools.map(({ id }) => id),
        block_ids: blocks.map(({ id }) => id),
        secrets: Object.fromEntries(secrets),
        messages,
        in_context_message_ids: (file.in_context_message_indices ?? []).map((index) => `message-${index}`),
      },
    ],
    groups: [],
    blocks,
    files: [],
    sources: [],
    tools,
    mcp_servers: [],
  };
}

function rejectOddIndices(indices: readonly number[], count: number): void {
  const seen = new Set<number>();
  for (const [place, index] of indices.entries()) {
    const why = index >= count ? `the file has ${count} messages` : seen.has(index) ? "it occurs twice" : undefined;
    seen.add(index);
    if (why === undefined) continue;
    throw new MemoirError("invalid-argument", `in_context_message_indices[${place}] is ${index}, but ${why}`, {
      details: { field: "in_context_message_indices" },
    });
  }
}

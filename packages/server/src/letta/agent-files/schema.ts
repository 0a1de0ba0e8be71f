/** Agent files as a whole, and what is asked when one is made or taken in. */
import { z } from "zod";
import type { Upload } from "../../form.ts";
import { type Optional, optional, wireLine, wireList, wireName, wireRecord, wireText } from "../shared/fields.ts";
import { queryBoolean, queryInteger, queryText } from "../shared/query.ts";
import { ToolWire } from "../tools/schema.ts";
import { AgentOfFileWire } from "./agent-wire.ts";
import { BlockOfFileWire, FileOfFileWire, GroupOfFileWire, ServerOfFileWire, SourceOfFileWire } from "./parts-wire.ts";

export interface SkillWire {
  name: string;
  files?: Record<string, string> | null;
  source_url?: string | null;
}

const skillShape = {
  name: wireName.min(1),
  files: wireRecord(wireLine, wireText).nullish(),
  source_url: wireLine.nullish(),
};

/** One of the two says what the skill is. */
export const SkillWire: z.ZodType<SkillWire> = z
  .object(skillShape)
  .refine(({ files, source_url }) => files != null || source_url != null, {
    error: "a skill needs files or a source_url",
    path: ["files"],
  })
  .refine(({ files }) => files == null || "SKILL.md" in files, {
    error: "the files of a skill must hold SKILL.md",
    path: ["files"],
  })
  .meta({ id: "SkillSchema" });

export interface AgentFileWire {
  agents: AgentOfFileWire[];
  groups: GroupOfFileWire[];
  blocks: BlockOfFileWire[];
  files: FileOfFileWire[];
  sources: SourceOfFileWire[];
  tools: ToolWire[];
  mcp_servers: ServerOfFileWire[];
  skills: SkillWire[];
  metadata: Record<string, string>;
  created_at: string;
}

export const AgentFileWire: z.ZodType<AgentFileWire> = z
  .strictObject({
    agents: z.array(AgentOfFileWire),
    groups: z.array(GroupOfFileWire),
    blocks: z.array(BlockOfFileWire),
    files: z.array(FileOfFileWire),
    sources: z.array(SourceOfFileWire),
    tools: z.array(ToolWire),
    mcp_servers: z.array(ServerOfFileWire),
    skills: z.array(z.strictObject(skillShape)),
    metadata: z.record(z.string(), z.string()),
    created_at: z.string(),
  })
  .meta({ id: "AgentFileSchema" });

export interface ExportQuery {
  conversation_id?: string;
  scrub_messages?: boolean;
  use_legacy_format?: boolean;
  max_steps?: number;
}

export const ExportQuery: z.ZodType<ExportQuery> = z.object({
  conversation_id: queryText,
  scrub_messages: queryBoolean,
  use_legacy_format: queryBoolean,
  max_steps: queryInteger(),
});

export interface ExportAgentWire {
  skills?: SkillWire[];
  conversation_id?: string;
  scrub_messages?: boolean;
}

export const ExportAgentWire: z.ZodType<ExportAgentWire> = z
  .object({
    skills: optional(wireList(SkillWire)),
    conversation_id: optional(wireName),
    scrub_messages: optional(z.boolean()),
  })
  .meta({ id: "ExportAgentRequest" });

export interface ImportForm {
  /** A form may hold the file's text as it is, without naming a file. */
  file: string | Upload;
  override_existing_tools?: boolean;
  strip_messages?: boolean;
  append_copy_suffix?: boolean;
  secrets?: string;
  env_vars_json?: string;
  name?: string;
  override_name?: string;
  embedding?: string;
  override_embedding_handle?: string;
  model?: string;
  override_model_handle?: string;
  project_id?: string;
}

const isUpload = (value: unknown): value is string | Upload =>
  typeof value === "string" || (typeof value === "object" && value !== null && "bytes" in value);

const UploadField = z
  .custom<string | Upload>(isUpload, { error: "Field required: the agent file, as a file of the form" })
  .meta({ type: "string", format: "binary" });

/** An empty field says nothing. */
const formText: Optional<string> = z.preprocess((value) => (value === "" ? undefined : value), wireText.optional());

export const ImportForm: z.ZodType<ImportForm> = z
  .object({
    file: UploadField,
    override_existing_tools: queryBoolean,
    strip_messages: queryBoolean,
    append_copy_suffix: queryBoolean,
    secrets: formText,
    env_vars_json: formText,
    name: formText,
    override_name: formText,
    embedding: formText,
    override_embedding_handle: formText,
    model: formText,
    override_model_handle: formText,
    project_id: formText,
  })
  .meta({ id: "Body_import_agent" });

export interface ImportedWire {
  agent_ids: string[];
  /** Our own: what is not as it stands in the file. */
  notes?: string[];
}

export const ImportedWire: z.ZodType<ImportedWire> = z
  .strictObject({ agent_ids: z.array(z.string()), notes: z.array(z.string()).optional() })
  .meta({ id: "ImportedAgentsResponse" });

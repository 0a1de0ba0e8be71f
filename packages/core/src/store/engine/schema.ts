/** One interface per table, columns as stored: booleans as 0 or 1, timestamps in microseconds, JSON as text. */
import type { Generated } from "kysely";

export type Flag = 0 | 1;
export type Timestamp = number;
/** Bytes in SQLite, a halfvec literal in PostgreSQL. */
export type Vector = Uint8Array | string;

export interface OrganizationTable {
  id: string;
  name: string;
  base_tools_key: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface UserTable {
  id: string;
  org_id: string;
  name: string;
  role: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ApiKeyTable {
  id: string;
  org_id: string;
  user_id: string;
  name: string;
  hash: string;
  role: string;
  agent_id: string | null;
  conversation_id: string | null;
  may_override: Flag;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  revoked_at: Timestamp | null;
  last_used_at: Timestamp | null;
}

export interface AuditTable {
  id: string;
  org_id: string;
  user_id: string | null;
  api_key_id: string | null;
  action: string;
  target: string | null;
  detail: string | null;
  created_at: Timestamp;
}

export interface AgentTable {
  id: string;
  org_id: string;
  name: string;
  kind: string;
  description: string | null;
  system: string;
  metadata: string | null;
  model_config: string;
  embedding_config: string | null;
  compaction: string;
  response_format: string | null;
  tool_rules: string;
  tool_permissions: string | null;
  timezone: string;
  autoclear: Flag;
  sleeptime: Flag | null;
  hidden: Flag | null;
  max_files_open: number;
  file_view_chars: number;
  last_run_at: Timestamp | null;
  last_run_ms: number | null;
  last_stop_reason: string | null;
  project_id: string | null;
  template_id: string | null;
  base_template_id: string | null;
  deployment_id: string | null;
  entity_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface AgentTagTable {
  org_id: string;
  agent_id: string;
  tag: string;
}

export interface BlockTable {
  id: string;
  org_id: string;
  label: string;
  value: string;
  char_limit: number;
  description: string | null;
  metadata: string;
  read_only: Flag;
  hidden: Flag | null;
  is_template: Flag;
  template_name: string | null;
  template_id: string | null;
  base_template_id: string | null;
  deployment_id: string | null;
  entity_id: string | null;
  preserve_on_migration: Flag | null;
  project_id: string | null;
  version: number;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface BlockVersionTable {
  block_id: string;
  version: number;
  org_id: string;
  label: string;
  description: string | null;
  char_limit: number;
  read_only: Flag;
  value: string | null;
  diff: string | null;
  cause: string;
  user_id: string | null;
  agent_id: string | null;
  run_id: string | null;
  step_id: string | null;
  tool_call_id: string | null;
  created_at: Timestamp;
}

export interface BlockTagTable {
  org_id: string;
  block_id: string;
  tag: string;
}

export interface AgentBlockTable {
  org_id: string;
  agent_id: string;
  block_id: string;
  label: string;
  attached_at: Timestamp;
}

export interface IdentityTable {
  id: string;
  org_id: string;
  identifier_key: string;
  name: string;
  kind: string;
  project_id: string | null;
  properties: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface AgentIdentityTable {
  org_id: string;
  agent_id: string;
  identity_id: string;
}

export interface BlockIdentityTable {
  org_id: string;
  block_id: string;
  identity_id: string;
}

export interface ConversationTable {
  id: string;
  org_id: string;
  agent_id: string;
  is_default: Flag;
  title: string | null;
  model: string | null;
  model_settings: string | null;
  system_message_id: string | null;
  summary_message_id: string | null;
  watermark: number;
  entry_watermark: number;
  prompt_key: string | null;
  last_message_at: Timestamp | null;
  warned_at: Timestamp | null;
  deleted_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface MessageTable {
  seq: Generated<number>;
  id: string;
  org_id: string;
  agent_id: string;
  conversation_id: string;
  role: string;
  content: string | null;
  tool_calls: string | null;
  tool_returns: string | null;
  tool_call_id: string | null;
  approvals: string | null;
  name: string | null;
  model: string | null;
  otid: string | null;
  step_id: string | null;
  run_id: string | null;
  group_id: string | null;
  sender_id: string | null;
  batch_item_id: string | null;
  is_error: Flag;
  in_context: Flag;
  tokens: number | null;
  search_text: string | null;
  deleted_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface ContextEntryTable {
  conversation_id: string;
  position: number;
  org_id: string;
  message_id: string;
}

export interface ConversationBlockTable {
  org_id: string;
  conversation_id: string;
  block_id: string;
  label: string;
}

export interface ContentTable {
  org_id: string;
  hash: string;
  media_type: string;
  body: Uint8Array;
  created_at: Timestamp;
}

export interface ToolTable {
  id: string;
  org_id: string;
  name: string;
  kind: string;
  description: string | null;
  source_kind: string | null;
  source: string | null;
  json_schema: string | null;
  args_schema: string | null;
  tags: string;
  return_char_limit: number;
  pip_requirements: string | null;
  npm_requirements: string | null;
  needs_approval: Flag | null;
  is_parallel: Flag | null;
  metadata: string | null;
  project_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface AgentToolTable {
  org_id: string;
  agent_id: string;
  tool_id: string;
  attached_at: Timestamp;
}

export interface SecretTable {
  id: string;
  org_id: string;
  owner_id: string;
  name: string;
  ciphertext: Uint8Array;
  key_id: string;
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface McpServerTable {
  id: string;
  org_id: string;
  name: string;
  transport: string;
  config: string;
  metadata: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface McpToolTable {
  org_id: string;
  mcp_server_id: string;
  tool_id: string;
}

export interface McpSessionTable {
  id: string;
  org_id: string;
  user_id: string;
  mcp_server_id: string | null;
  state: string;
  status: string;
  detail: string;
  expires_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface SandboxConfigTable {
  id: string;
  org_id: string;
  kind: string;
  config: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface ArchiveTable {
  id: string;
  org_id: string;
  name: string;
  description: string | null;
  embedding_config: string | null;
  metadata: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface AgentArchiveTable {
  agent_id: string;
  org_id: string;
  archive_id: string;
  is_owner: Flag;
  created_at: Timestamp;
}

export interface FolderTable {
  id: string;
  org_id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  metadata: string | null;
  embedding_config: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface AgentFolderTable {
  org_id: string;
  agent_id: string;
  folder_id: string;
  attached_at: Timestamp;
}

export interface FileTable {
  id: string;
  org_id: string;
  folder_id: string;
  name: string;
  original_name: string | null;
  media_type: string | null;
  size: number | null;
  status: string;
  error: string | null;
  total_chunks: number | null;
  chunks_embedded: number | null;
  content_hash: string | null;
  source_created_at: string | null;
  source_updated_at: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface FileContentTable {
  file_id: string;
  org_id: string;
  body: string;
}

export interface AgentFileTable {
  id: string;
  org_id: string;
  agent_id: string;
  file_id: string;
  is_open: Flag;
  visible: string | null;
  start_line: number | null;
  end_line: number | null;
  last_accessed_at: Timestamp | null;
  created_at: Timestamp;
}

export interface PassageTable {
  seq: Generated<number>;
  id: string;
  org_id: string;
  archive_id: string | null;
  folder_id: string | null;
  file_id: string | null;
  owner_id: string;
  body: string;
  metadata: string;
  tags: string | null;
  embedding_config: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface PassageTagTable {
  org_id: string;
  passage_id: string;
  owner_id: string;
  tag: string;
}

export interface RunTable {
  seq: Generated<number>;
  id: string;
  org_id: string;
  agent_id: string;
  conversation_id: string;
  epoch: number;
  status: string;
  stop_reason: string | null;
  kind: string;
  is_background: Flag;
  is_cancelled: Flag;
  takeovers: number;
  request: string;
  metadata: string | null;
  callback_url: string | null;
  callback_sent_at: Timestamp | null;
  callback_status: number | null;
  callback_error: string | null;
  first_token_ns: number | null;
  duration_ns: number | null;
  project_id: string | null;
  base_template_id: string | null;
  ended_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
}

export interface RunEventTable {
  run_id: string;
  seq: number;
  org_id: string;
  epoch: number;
  type: string;
  payload: string;
  created_at: Timestamp;
}

export interface StepTable {
  seq: Generated<number>;
  id: string;
  org_id: string;
  run_id: string | null;
  agent_id: string | null;
  conversation_id: string | null;
  origin: string | null;
  provider_id: string | null;
  provider_name: string | null;
  provider_category: string | null;
  model: string | null;
  model_handle: string | null;
  model_endpoint: string | null;
  context_window: number | null;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  cached_tokens: number | null;
  cache_write_tokens: number | null;
  reasoning_tokens: number | null;
  status: string;
  stop_reason: string | null;
  error_type: string | null;
  error_data: string | null;
  feedback: string | null;
  tags: string | null;
  tid: string | null;
  trace_id: string | null;
  request_id: string | null;
  project_id: string | null;
  system_hash: string | null;
  tools_hash: string | null;
  request_hash: string | null;
  message_ids: string | null;
  llm_ns: number | null;
  tool_ns: number | null;
  total_ns: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface TraceTable {
  id: string;
  org_id: string;
  step_id: string | null;
  run_id: string | null;
  agent_id: string | null;
  kind: string;
  detail: string;
  request: Uint8Array;
  response: Uint8Array | null;
  created_by: string | null;
  created_at: Timestamp;
}

export interface JobTable {
  id: string;
  org_id: string;
  user_id: string | null;
  kind: string;
  status: string;
  payload: string;
  metadata: string | null;
  stop_reason: string | null;
  callback_url: string | null;
  callback_sent_at: Timestamp | null;
  callback_status: number | null;
  callback_error: string | null;
  attempts: number;
  due_at: Timestamp;
  completed_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface BatchItemTable {
  id: string;
  org_id: string;
  job_id: string;
  agent_id: string;
  run_id: string | null;
  request: string;
  status: string;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ScheduleTable {
  id: string;
  org_id: string;
  agent_id: string;
  conversation_id: string | null;
  rule: string;
  input: string;
  is_enabled: Flag;
  next_at: Timestamp | null;
  last_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface ApprovalTable {
  id: string;
  org_id: string;
  agent_id: string;
  conversation_id: string;
  run_id: string;
  question: string;
  answers: string;
  resumed_by: string | null;
  expires_at: Timestamp;
  created_at: Timestamp;
  ended_at: Timestamp | null;
}

export interface IdempotencyKeyTable {
  org_id: string;
  token: string;
  run_id: string | null;
  response: string | null;
  created_at: Timestamp;
}

export interface OutboxTable {
  id: string;
  org_id: string;
  kind: string;
  target: string;
  payload: string;
  attempts: number;
  due_at: Timestamp;
  claimed_until: Timestamp | null;
  sent_at: Timestamp | null;
  error: string | null;
  created_at: Timestamp;
}

export interface GroupTable {
  id: string;
  org_id: string;
  kind: string;
  description: string;
  manager_agent_id: string | null;
  termination_token: string | null;
  max_turns: number | null;
  frequency: number | null;
  turns: number | null;
  last_message_id: string | null;
  max_buffer: number | null;
  min_buffer: number | null;
  hidden: Flag | null;
  project_id: string | null;
  template_id: string | null;
  base_template_id: string | null;
  deployment_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface GroupAgentTable {
  org_id: string;
  group_id: string;
  agent_id: string;
  position: number;
}

export interface GroupBlockTable {
  org_id: string;
  group_id: string;
  block_id: string;
}

export interface ProviderTable {
  id: string;
  org_id: string;
  name: string;
  kind: string;
  base_url: string | null;
  region: string | null;
  api_version: string | null;
  last_synced_at: Timestamp | null;
  deleted_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  created_by: string | null;
  updated_by: string | null;
}

export interface ModelTable {
  id: string;
  org_id: string;
  provider_id: string;
  kind: string;
  handle: string;
  name: string;
  display_name: string;
  is_enabled: Flag;
  endpoint_kind: string;
  context_window: number | null;
  dimension: number | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface MessageVectorTable {
  message_id: string;
  org_id: string;
  agent_id: string;
  model: string;
  dimension: number;
  vector: Vector;
}

export interface PassageVectorTable {
  passage_id: string;
  org_id: string;
  owner_id: string;
  model: string;
  dimension: number;
  vector: Vector;
}

/** The migrations applied to this database. */
export interface MemoirMigrationTable {
  name: string;
  checksum: string;
  program: string;
  applied_at: Timestamp;
}

/** Tables with rows of an organization, accessible only through a Scope. */
export interface OrgTables {
  user: UserTable;
  api_key: ApiKeyTable;
  audit: AuditTable;
  agent: AgentTable;
  agent_tag: AgentTagTable;
  block: BlockTable;
  block_version: BlockVersionTable;
  block_tag: BlockTagTable;
  agent_block: AgentBlockTable;
  identity: IdentityTable;
  agent_identity: AgentIdentityTable;
  block_identity: BlockIdentityTable;
  conversation: ConversationTable;
  message: MessageTable;
  context_entry: ContextEntryTable;
  conversation_block: ConversationBlockTable;
  content: ContentTable;
  tool: ToolTable;
  agent_tool: AgentToolTable;
  secret: SecretTable;
  mcp_server: McpServerTable;
  mcp_tool: McpToolTable;
  mcp_session: McpSessionTable;
  sandbox_config: SandboxConfigTable;
  archive: ArchiveTable;
  agent_archive: AgentArchiveTable;
  folder: FolderTable;
  agent_folder: AgentFolderTable;
  file: FileTable;
  file_content: FileContentTable;
  agent_file: AgentFileTable;
  passage: PassageTable;
  passage_tag: PassageTagTable;
  run: RunTable;
  run_event: RunEventTable;
  step: StepTable;
  trace: TraceTable;
  job: JobTable;
  batch_item: BatchItemTable;
  schedule: ScheduleTable;
  approval: ApprovalTable;
  idempotency_key: IdempotencyKeyTable;
  outbox: OutboxTable;
  group: GroupTable;
  group_agent: GroupAgentTable;
  group_block: GroupBlockTable;
  provider: ProviderTable;
  model: ModelTable;
  message_vector: MessageVectorTable;
  passage_vector: PassageVectorTable;
}

export interface Tables extends OrgTables {
  organization: OrganizationTable;
  memoir_migration: MemoirMigrationTable;
}

export type OrgTable = keyof OrgTables;

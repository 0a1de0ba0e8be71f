/**
 * Where a request can name an object of someone else: the ids among the query parameters and body fields of every operation,
 * found in the OpenAPI document, so that a new field is tried without being listed here.
 */
import type { Listed, OpenApi, Schema } from "./contract.ts";

export interface Reference {
  /** `?agent_id`, `block_ids`, `manager_config.manager_agent_id`. */
  readonly place: string;
  readonly isInQuery: boolean;
  /** Which ids of things.ts are tried. */
  readonly kinds: readonly string[];
  /** The query, or the fields of the body, that name this id. */
  readonly write: (id: string) => Readonly<Record<string, unknown>>;
}

/** What a cursor names, by the last word of a list's path. */
const listed: Readonly<Record<string, string>> = {
  active: "run_id",
  agents: "agent_id",
  approvals: "approval_id",
  "archival-memory": "memory_id",
  archives: "archive_id",
  audit: "key_id",
  batches: "batch_id",
  blocks: "block_id",
  conversations: "conversation_id",
  files: "file_id",
  folders: "folder_id",
  groups: "group_id",
  identities: "identity_id",
  jobs: "job_id",
  keys: "key_id",
  messages: "message_id",
  models: "agent_id",
  passages: "passage_id",
  providers: "provider_id",
  runs: "run_id",
  "sandbox-config": "sandbox_config_id",
  sources: "folder_id",
  steps: "step_id",
  tags: "agent_id",
  tools: "tool_id",
  "environment-variable": "environment_variable_id",
  _internal_blocks: "block_id",
  _internal_runs: "run_id",
  versions: "version",
};

/** By the last name of a place. */
const kindsOf: Readonly<Record<string, readonly string[]>> = {
  with: ["step_id"],
  agent_id: ["agent_id"],
  agent_ids: ["agent_id"],
  approval_request_id: ["approval_id"],
  archive_id: ["archive_id"],
  block_ids: ["block_id"],
  conversation_id: ["conversation_id"],
  deployment_id: ["deployment_id"],
  file_id: ["image_id"],
  folder_ids: ["folder_id"],
  group_id: ["group_id"],
  identity_id: ["identity_id"],
  identity_ids: ["identity_id"],
  manager_agent_id: ["agent_id"],
  message_id: ["message_id"],
  message_ids: ["message_id"],
  run_id: ["run_id"],
  run_ids: ["run_id"],
  sender_id: ["identity_id"],
  shared_block_ids: ["block_id"],
  source_id: ["folder_id"],
  source_ids: ["folder_id"],
  tool_ids: ["tool_id", "mcp_tool_id"],
};

/** Texts of the caller's own choice, which name nothing of ours; and what only an administrator may send. */
const isFree = new Set([
  "base_template_id",
  "batch_item_id",
  "created_by_id",
  "entity_id",
  "id",
  "org_id",
  "organization_id",
  "project_id",
  "return_token_ids",
  "template_id",
  "tool_call_id",
  "trace_ids",
  "user_id",
]);

const message = (fields: object) => [{ role: "user", content: "!say hello", ...fields }];
const approval = (id: string) => [{ type: "approval", approve: true, approval_request_id: id }];
const block = (fields: object) => [{ label: "new", value: "v", ...fields }];

const image = (id: string) => message({ content: [{ type: "image", source: imageSource(id) }] });
const imageSource = (id: string) => ({ type: "letta", file_id: id, media_type: "image/png", data: null });

/** Fields inside fields, with what has to stand around them. */
const nested: Readonly<Record<string, (id: string) => Readonly<Record<string, unknown>>>> = {
  "initial_message_sequence.sender_id": (id) => ({ initial_message_sequence: message({ sender_id: id }) }),
  "initial_message_sequence.content.source.file_id": (id) => ({ initial_message_sequence: image(id) }),
  "input.source.file_id": (id) => ({
    messages: undefined,
    input: [{ type: "image", source: imageSource(id) }],
  }),
  "requests.input.source.file_id": (id) => ({
    requests: [{ agent_id: "{agent_id}", input: [{ type: "image", source: imageSource(id) }] }],
  }),
  "messages.content.source.file_id": (id) => ({ messages: image(id) }),
  "manager_config.manager_agent_id": (id) => ({
    manager_config: { manager_type: "supervisor", manager_agent_id: id },
  }),
  "memory_blocks.deployment_id": (id) => ({ memory_blocks: block({ deployment_id: id }) }),
  "messages.approval_request_id": (id) => ({ messages: approval(id) }),
  "messages.group_id": (id) => ({ messages: message({ group_id: id }) }),
  "messages.sender_id": (id) => ({ messages: message({ sender_id: id }) }),
  "requests.agent_id": (id) => ({ requests: [{ agent_id: id, messages: message({}) }] }),
  "requests.messages.approval_request_id": (id) => ({ requests: [{ agent_id: "{agent_id}", messages: approval(id) }] }),
  "requests.messages.group_id": (id) => ({
    requests: [{ agent_id: "{agent_id}", messages: message({ group_id: id }) }],
  }),
  "requests.messages.sender_id": (id) => ({
    requests: [{ agent_id: "{agent_id}", messages: message({ sender_id: id }) }],
  }),
};

export function listReferences(document: OpenApi, { name, path, operation }: Listed): Reference[] {
  const queries = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
  const inQuery = queries
    .filter((parameter) => isCursor(parameter.name) || isReference(name, parameter.name))
    .map((parameter) => ({
      place: `?${parameter.name}`,
      isInQuery: true,
      kinds: isCursor(parameter.name) ? [findListed(path)] : (kindsOf[parameter.name] ?? []),
      write: (id: string) => ({ [parameter.name]: id }),
    }));
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return [...inQuery, ...(schema ? listFields(document, name, schema, []) : [])];
}

const isCursor = (name: string) => name === "after" || name === "before";

function findListed(path: string): string {
  const kind = listed[path.split("/").findLast((word) => word !== "" && !word.startsWith("{")) ?? ""];
  if (!kind) throw new Error(`say in walk/references.ts what GET ${path} lists`);
  return kind;
}

/** A name like that of an id that is neither known nor free is a field nobody has thought about. */
function isReference(operation: string, name: string): boolean {
  if (kindsOf[name]) return true;
  if (!/(^|_)ids?$/.test(name) || isFree.has(name)) return false;
  throw new Error(`${operation}: say in walk/references.ts what ${name} names`);
}

/** Answers to approvals take no images, whichever they name. */
const isNeverTaken = new Set(["answers.tool_return.source.file_id"]);

function listFields(document: OpenApi, operation: string, schema: Schema, path: readonly string[]): Reference[] {
  if (path.length > 3) return [];
  return resolve(document, schema).flatMap(({ properties = {}, items }) => [
    ...(items ? listFields(document, operation, items, path) : []),
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(isReference(operation, name) && !isNeverTaken.has([...path, name].join("."))
        ? [toField(document, operation, name, field, path)]
        : []),
      ...listFields(document, operation, field, [...path, name]),
    ]),
  ]);
}

function toField(
  document: OpenApi,
  operation: string,
  name: string,
  field: Schema,
  path: readonly string[],
): Reference {
  const place = [...path, name].join(".");
  const isList = resolve(document, field).some(({ items }) => items !== undefined);
  const write = path.length > 0 ? nested[place] : (id: string) => ({ [name]: isList ? [id] : id });
  if (!write) throw new Error(`${operation}: say in walk/references.ts what stands around ${place}`);
  return { place, isInQuery: false, kinds: kindsOf[name] ?? [], write };
}

/** What a schema can be, without references and choices. */
function resolve(document: OpenApi, schema: Schema): Schema[] {
  const { $ref, anyOf, oneOf } = schema;
  if ($ref) return resolve(document, document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  const choices = anyOf ?? oneOf;
  return choices ? choices.flatMap((choice) => resolve(document, choice)) : [schema];
}

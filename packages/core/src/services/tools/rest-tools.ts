/** Makes tools that call somebody's REST API, with what shows that API who calls sealed beside them. */
import { findAddressFault } from "../../network/private-addresses.ts";
import { type Runtime, write } from "../../runtime.ts";
import type { Actor } from "../../shared/actor.ts";
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { replaceSecrets } from "../../store/access/secrets.ts";
import { StaleWriteError } from "../../store/engine/entity.ts";
import type { Scope } from "../../store/engine/scope.ts";
import {
  defaultReturnChars,
  findToolsByName,
  insertMissingTools,
  lockTool,
  type Tool,
  updateTool,
} from "../../store/tools/tools.ts";
import {
  type CredentialText,
  type CredentialTexts,
  type GivenCredentials,
  readCredentials,
} from "../../tools/rest/credentials.ts";
import { draftFromOpenApi, type OpenApiDrafts, type OpenApiSource } from "../../tools/rest/openapi.ts";
import {
  effectOf,
  findOperation,
  type RestDraft,
  type RestOperation,
  restToolKind,
  secretName,
} from "../../tools/rest/operation.ts";
import { draftFromTemplate, type RestTemplate } from "../../tools/rest/template.ts";
import { secretPlace } from "../secrets/secret-scope.ts";
import { readName, refuse, rejectTakenName } from "./tool-rows.ts";

export interface NewRestTools {
  /** One of these two. */
  readonly openapi?: OpenApiSource;
  readonly template?: RestTemplate;
  /** In place of all that were there; left out, tools that exist keep theirs. */
  readonly credentials?: GivenCredentials;
  readonly tags?: readonly string[];
  readonly timeoutMs?: number;
  readonly returnCharLimit?: number;
  readonly needsApproval?: boolean;
  readonly projectId?: string;
}

export interface SavedRestTools {
  readonly tools: readonly Tool[];
  /** Operations that cannot be tools, and why. */
  readonly skipped: OpenApiDrafts["skipped"];
}

export interface RestToolService {
  /** Makes the tools, or brings those of these names to what is given: all of them or none. */
  save(actor: Actor, input: NewRestTools): Promise<SavedRestTools>;
}

const defaultTimeoutMs = 30_000;

export function createRestToolService(runtime: Runtime, allowedHosts: readonly string[]): RestToolService {
  return {
    save: async (actor, input) => {
      const { drafts, skipped } = draftTools(input);
      for (const { operation } of drafts) rejectInside(operation.url, allowedHosts);
      const texts = input.credentials && readCredentials(input.credentials, input.openapi?.document);
      const tools = await write(runtime, actor, async (scope) => {
        const saved: Tool[] = [];
        for (const draft of drafts) saved.push(await saveTool(runtime, scope, actor, input, draft, texts));
        return saved;
      });
      return { tools, skipped };
    },
  };
}

function draftTools({ openapi, template }: NewRestTools): OpenApiDrafts {
  if ((openapi === undefined) === (template === undefined)) {
    throw refuse("openapi", "send either openapi or template, one of the two");
  }
  const found = openapi
    ? draftFromOpenApi(openapi)
    : { drafts: template ? [draftFromTemplate(template)] : [], skipped: [] };
  for (const { name } of found.drafts) readName({ name });
  return found;
}

function rejectInside(url: string, allowedHosts: readonly string[]): void {
  const { origin } = new URL(url);
  const fault = findAddressFault(origin, allowedHosts);
  if (fault !== undefined) throw refuse("url", `the address ${origin} ${fault}`);
}

async function saveTool(
  runtime: Runtime,
  scope: Scope,
  actor: Actor,
  input: NewRestTools,
  draft: RestDraft,
  texts: CredentialTexts | undefined,
): Promise<Tool> {
  const [match] = await findToolsByName(scope, [draft.name]);
  const stored = await findStored(scope, draft, match);
  const sent = texts && pickCredentials(texts, draft);
  const credentials = sent ?? keepCredentials(draft, stored);
  const operation = withoutCredentials(draft.operation, {
    credentials: credentials.map(({ in: where, name }) => ({ in: where, name })),
    timeoutMs: input.timeoutMs ?? defaultTimeoutMs,
  });
  const fields = toFields(input, draft, operation, stored);
  const tool = stored ? { ...stored, ...fields, updatedBy: actor.userId } : newTool(scope, actor, fields);
  if (stored) await updateTool(scope, tool.id, tool);
  else {
    await insertMissingTools(scope, [tool]);
    const [winner] = await findToolsByName(scope, [tool.name]);
    // Someone else made it since it was looked for: the transaction is run again, and finds it.
    if (winner?.id !== tool.id) throw new StaleWriteError("tool", tool.name);
  }
  if (sent) await encryptCredentials(runtime, scope, actor, tool.id, sent);
  return tool;
}

async function findStored(scope: Scope, { name }: RestDraft, match: Tool | undefined): Promise<Tool | undefined> {
  if (match?.kind === restToolKind) return await lockTool(scope, match.id);
  rejectTakenName(name, match);
  if (match === undefined) return undefined;
  throw new MemoirError(
    "conflict",
    `the name "${name}" belongs to a tool with a source: choose another one, or a prefix`,
    {
      details: { entity: "tool", field: "name" },
    },
  );
}

function pickCredentials({ always, byScheme }: CredentialTexts, { schemes }: RestDraft): CredentialText[] {
  const wanted = schemes.flatMap((scheme) => byScheme.get(scheme) ?? []);
  const byName = new Map([...always, ...wanted].map((text) => [secretName(text).toLowerCase(), text]));
  return [...byName.values()];
}

/** What was given for one place is not sent to another. */
function keepCredentials(draft: RestDraft, stored: Tool | undefined): RestOperation["credentials"] {
  const before = stored && findOperation(stored);
  if (!before || before.credentials.length === 0) return [];
  const { origin } = new URL(draft.operation.url);
  if (new URL(before.url).origin === origin) return before.credentials;
  throw refuse(
    "credentials",
    `the tool "${draft.name}" moves to ${origin}: send credentials for it, or {} to have none`,
  );
}

/** What is sealed is not asked of the model. */
function withoutCredentials(
  operation: RestDraft["operation"],
  more: Pick<RestOperation, "credentials" | "timeoutMs">,
): RestOperation {
  const closed = new Set(more.credentials.map((credential) => secretName(credential).toLowerCase()));
  const parameters = operation.parameters.filter(
    ({ in: where, name }) => !closed.has(`${where}/${name}`.toLowerCase()),
  );
  return { ...operation, parameters, ...more };
}

type Fields = Omit<Tool, "id" | "kind" | "createdAt" | "updatedAt" | "createdBy" | "updatedBy">;

function toFields(input: NewRestTools, draft: RestDraft, operation: RestOperation, stored: Tool | undefined): Fields {
  const { name, description } = draft;
  const asked = new Set(operation.parameters.map(({ argument }) => argument));
  const { properties, required, ...schema } = draft.parameters;
  const parameters: JsonObject = {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties as JsonObject).filter(([argument]) => asked.has(argument)),
    ),
    required: (required as string[]).filter((argument) => asked.has(argument)),
  };
  return {
    name,
    description,
    sourceKind: "json",
    source: null,
    jsonSchema: { name, description, parameters },
    argsSchema: null,
    tags: input.tags ? [...new Set(input.tags)] : (stored?.tags ?? []),
    returnCharLimit: input.returnCharLimit ?? defaultReturnChars,
    pipRequirements: null,
    npmRequirements: null,
    needsApproval: input.needsApproval ?? null,
    isParallel: effectOf(operation.method) === "read",
    metadata: { ...stored?.metadata, rest: operation as unknown as JsonObject },
    projectId: input.projectId ?? null,
  };
}

function newTool(scope: Scope, actor: Actor, fields: Fields): Tool {
  const at = scope.now();
  const author = { createdAt: at, updatedAt: at, createdBy: actor.userId, updatedBy: actor.userId };
  return { id: scope.newId("tool"), kind: restToolKind, ...fields, ...author };
}

async function encryptCredentials(
  { vault }: Runtime,
  scope: Scope,
  actor: Actor,
  toolId: string,
  texts: readonly CredentialText[],
): Promise<void> {
  const sealed = texts.map((text) => {
    const name = secretName(text);
    return {
      id: scope.newId("secret"),
      name,
      description: null,
      ...vault.encrypt(text.value, secretPlace(scope, toolId, name)),
    };
  });
  await replaceSecrets(scope, toolId, sealed, actor.userId);
}

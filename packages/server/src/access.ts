/**
 * Who may do what. A caller is the holder of the server's password, of a key, or, where nobody has to log in, anyone on
 * this machine. A key's role says what it may do in its organization; a key for one agent or conversation sees nothing else.
 */
import { type Actor, type Memoir, MemoirError } from "@memoir/core";
import type { FastifyRequest } from "fastify";
import { type Caller, isAuthorized, readBearer, resolveActor } from "./auth.ts";
import type { ToolDoors } from "./letta/tools/tool-doors.ts";
import { openAiBase } from "./openai/clients.ts";
import type { Route } from "./route.ts";

export interface AccessOptions {
  readonly memoir: Memoir;
  /** When set, callers need it or a key. */
  readonly password?: string;
  /** Callers need a key, also without a password. */
  readonly needsKey?: boolean;
  /** Keys of tools that are at work. */
  readonly doors?: ToolDoors;
}

/** Undefined: they have to log in. */
export async function identify(
  { memoir, password, needsKey, doors }: AccessOptions,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  if (password !== undefined && isAuthorized(request, password)) return await asAdmin(memoir, request);
  const bearer = readBearer(request);
  const guest = bearer === undefined ? undefined : doors?.findGuest(bearer);
  if (guest) return guest;
  const holder = bearer === undefined ? undefined : await memoir.keys.find(bearer);
  if (holder) return { actor: holder.actor, role: holder.key.role, isAdmin: false, key: holder.key };
  // Whoever sends a key of ours means to use it: one that is no good must not open the door.
  if (password !== undefined || needsKey || bearer?.startsWith("mk-")) return undefined;
  return await asAdmin(memoir, request);
}

async function asAdmin(memoir: Memoir, request: FastifyRequest): Promise<Caller> {
  return { actor: await resolveActor(memoir, request), role: "owner", isAdmin: true, key: undefined };
}

/** What is only looked at, though it is asked for with a body. */
const readingPosts = [/\/search$/, /\/preview-raw-payload$/, /\/diff$/];
/** What only owners may touch. */
const ownerPaths = [/^\/v1\/memoir\/keys/, /^\/v1\/memoir\/audit/, /^\/v1\/providers/, /^\/v1\/sandbox-config/];
const adminPaths = [/^\/v1\/admin/, /^\/v1\/_internal/];

export function isReading({ method, path }: Pick<Route, "method" | "path">): boolean {
  return method === "GET" || (method === "POST" && readingPosts.some((pattern) => pattern.test(path)));
}

export function refuseByRole(route: Route, { role, isAdmin, key }: Caller): void {
  if (isAdmin) return;
  if (adminPaths.some((pattern) => pattern.test(route.path)))
    throw forbid("only the holder of the password may do this");
  if (role === "owner") return;
  if (ownerPaths.some((pattern) => pattern.test(route.path)) && !isListingModels(route)) {
    throw forbid("only a key of an owner may do this");
  }
  if (role === "reader" && !isReading(route)) throw forbid(`the key "${key?.name}" may only read`);
}

const isListingModels = ({ method, path }: Route) => method === "GET" && path === "/v1/providers/";

function forbid(message: string): MemoirError {
  return new MemoirError("forbidden", message);
}

/** What a key for one agent can reach: its own words and memory. Lists and shared things are not among it. */
const agentPaths: readonly { readonly pattern: RegExp; readonly isReadOnly?: boolean }[] = [
  { pattern: /^\/v1\/agents\/\{agent_id\}$/, isReadOnly: true },
  { pattern: /^\/v1\/agents\/\{agent_id\}\/context$/ },
  { pattern: /^\/v1\/agents\/\{agent_id\}\/(messages|archival-memory|reset-messages|summarize)(\/|$)/ },
  { pattern: /^\/v1\/agents\/\{agent_id\}\/core-memory(\/blocks(\/\{block_label\})?)?$/ },
];
/** Where clients of OpenAI name the agent as their model. */
const chatPaths = new Set(["/v1/chat/completions", `${openAiBase}/chat/completions`, `${openAiBase}/models/{model}`]);
/** Shows the holder of such a key nothing but its agent. */
const ownList = `${openAiBase}/models`;
const ownIds = { run_id: "run", step_id: "step", message_id: "message" } as const;

export interface Asked {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Answers as if what is not the key's did not exist. */
export async function refuseByScope(memoir: Memoir, route: Route, caller: Caller, asked: Asked): Promise<void> {
  const { key, actor } = caller;
  if (!key || key.agentId === null || route.isOpen) return;
  if (route.path === ownList && key.conversationId === null) return;
  const place = await findPlace(memoir, actor, route, asked);
  if (!place)
    throw forbid(`the key "${key.name}" is for one ${key.conversationId === null ? "agent" : "conversation"}`);
  const isOwn = key.conversationId === null || place.conversationId === key.conversationId;
  if (place.agentId !== key.agentId || !isOwn) throw missing(place);
  if (caller.isTool && isAnswer(asked))
    throw forbid("a tool does not answer what people, or their clients, were asked");
}

/** An approval, or what a client's tool gave back: by its own route or among messages. */
function isAnswer({ params, body }: Asked): boolean {
  const { messages = [], ...rest } = Object(body) as { messages?: unknown };
  const all: unknown[] = [rest, ...(Array.isArray(messages) ? messages : [])];
  return params.approval_id !== undefined || all.some((each) => answerFields.some((name) => name in Object(each)));
}

const answerFields = ["approvals", "approve", "tool_returns"];

function missing({ entity, id }: Place): MemoirError {
  return new MemoirError("not-found", `${entity} "${id}" does not exist`, { details: { entity, id } });
}

interface Place {
  readonly entity: string;
  readonly id: string;
  readonly agentId: string | undefined;
  readonly conversationId: string | undefined;
}

/** Undefined where the operation is not about one agent. */
async function findPlace(memoir: Memoir, actor: Actor, route: Route, asked: Asked): Promise<Place | undefined> {
  const { path } = route;
  const { agent_id, conversation_id } = asked.params as Record<string, string | undefined>;
  if (chatPaths.has(path)) {
    const { model: id } = { ...(asked.body as { model?: unknown } | undefined), ...asked.params };
    return typeof id === "string" ? { entity: "agent", id, agentId: id, conversationId: undefined } : undefined;
  }
  if (agent_id !== undefined && isAgentsOwn(route)) {
    return { entity: "agent", id: agent_id, agentId: agent_id, conversationId: undefined };
  }
  if (conversation_id !== undefined && path.startsWith("/v1/conversations/")) {
    return await findConversation(memoir, actor, conversation_id, asked);
  }
  const { approval_id: approvalId } = asked.params;
  if (typeof approvalId === "string") {
    // It has the id of the message that asks.
    return { ...(await findOwner(memoir, actor, "message", approvalId)), entity: "approval" };
  }
  for (const [name, entity] of Object.entries(ownIds)) {
    const id = asked.params[name];
    if (typeof id === "string" && path.startsWith(`/v1/${entity}s/`)) return await findOwner(memoir, actor, entity, id);
  }
  return undefined;
}

function isAgentsOwn(route: Route): boolean {
  return agentPaths.some(({ pattern, isReadOnly }) => pattern.test(route.path) && (!isReadOnly || isReading(route)));
}

async function findConversation(memoir: Memoir, actor: Actor, id: string, asked: Asked): Promise<Place> {
  const entity = "conversation";
  if (id.startsWith("agent-")) return { entity, id, agentId: id, conversationId: undefined };
  if (id === "default") {
    const { agent_id: inBody } = (asked.body ?? {}) as { agent_id?: unknown };
    // Routes read one or the other: two that differ are an attempt to have one checked and the other used.
    const [named, ...others] = new Set(
      [inBody, asked.query.agent_id].filter((value) => value !== undefined && value !== null),
    );
    const agentId = typeof named === "string" && others.length === 0 ? named : undefined;
    return { entity, id, agentId, conversationId: undefined };
  }
  return { entity, id, agentId: await memoir.conversations.getAgentId(actor, id), conversationId: id };
}

async function findOwner(memoir: Memoir, actor: Actor, entity: string, id: string): Promise<Place> {
  const owner = await memoir.keys.findOwner(actor, entity as "run" | "step" | "message", id);
  return { entity, id, agentId: owner?.agentId ?? undefined, conversationId: owner?.conversationId ?? undefined };
}

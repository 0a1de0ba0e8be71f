/**
 * Who may do what. A caller is the holder of the server's password, of a key, or, where nobody has to log in, anyone on
 * this machine. A key's role says what it may do in its organization; a key for one agent or conversation sees nothing else.
 */
import { type Actor, type Memoir, MemoirError } from "@memoir/core";
import type { FastifyRequest } from "fastify";
import { type Caller, isAuthorized, readBearer, resolveActor } from "./caller.ts";
import type { ToolGateway } from "./letta/tools/tool-gateway.ts";
import type { KeyScope, Route } from "./route.ts";
import { rejectFields } from "./scoped-fields.ts";

export interface AccessOptions {
  readonly memoir: Memoir;
  /** When set, callers need it or a key. */
  readonly password?: string;
  /** Callers need a key, also without a password. */
  readonly needsKey?: boolean;
  /** Keys of tools that are at work. */
  readonly doors?: ToolGateway;
}

/** Undefined: they have to log in. */
export async function identify(
  { memoir, password, needsKey, doors }: AccessOptions,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  if (password !== undefined && isAuthorized(request, password)) return await asAdmin(memoir, request);
  const bearer = readBearer(request);
  const guest = bearer === undefined ? undefined : doors?.findSession(bearer);
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

/** Calls that belong in the audit log. */
export function isChange({ method, access }: Pick<Route, "method" | "access">): boolean {
  return method !== "GET" && access !== "open" && access !== "read";
}

export function rejectByRole({ access }: Route, { role, isAdmin, key }: Caller): void {
  if (isAdmin || access === "open") return;
  if (access === "admin") throw forbid("only the holder of the password may do this");
  if (role === "owner") return;
  if (access === "owner") throw forbid("only a key of an owner may do this");
  if (role === "reader" && access !== "read") throw forbid(`the key "${key?.name}" may only read`);
}

function forbid(message: string): MemoirError {
  return new MemoirError("forbidden", message);
}

export interface Asked {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Answers as if what is not the key's did not exist. */
export async function rejectByScope(memoir: Memoir, route: Route, caller: Caller, asked: Asked): Promise<void> {
  const { key, actor } = caller;
  if (!key || key.agentId === null || route.access === "open") return;
  if (route.scope === "agent-list" && key.conversationId === null) return;
  const place = await findPlace(memoir, actor, route.scope, asked);
  if (!place)
    throw forbid(`the key "${key.name}" is for one ${key.conversationId === null ? "agent" : "conversation"}`);
  const isOwn = key.conversationId === null || place.conversationId === key.conversationId;
  if (place.agentId !== key.agentId || !isOwn) throw missing(place);
  if (caller.isTool && isAnswer(route, asked))
    throw forbid("a tool does not answer what people, or their clients, were asked");
  rejectFields(route, key, asked.body);
}

/** An approval, or what a client's tool gave back: by its own route or among messages. */
function isAnswer({ scope }: Route, { body }: Asked): boolean {
  const { messages = [], ...rest } = Object(body) as { messages?: unknown };
  const all: unknown[] = [rest, ...(Array.isArray(messages) ? messages : [])];
  return scope === "approval" || all.some((each) => answerFields.some((name) => name in Object(each)));
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
async function findPlace(memoir: Memoir, actor: Actor, scope: KeyScope, asked: Asked): Promise<Place | undefined> {
  if (scope === "none" || scope === "agent-list") return undefined;
  const id = scope === "model" ? readModel(asked) : asked.params[`${scope}_id`];
  if (typeof id !== "string") return undefined;
  switch (scope) {
    case "model":
    case "agent":
      return { entity: "agent", id, agentId: id, conversationId: undefined };
    case "conversation":
      return await findConversation(memoir, actor, id, asked);
    case "approval":
      // It has the id of the message that asks.
      return { ...(await findOwner(memoir, actor, "message", id)), entity: "approval" };
    default:
      return await findOwner(memoir, actor, scope, id);
  }
}

function readModel({ params, body }: Asked): unknown {
  return params.model ?? (body as { model?: unknown } | undefined)?.model;
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

type OwnedEntity = Parameters<Memoir["keys"]["findOwner"]>[1];

async function findOwner(memoir: Memoir, actor: Actor, entity: OwnedEntity, id: string): Promise<Place> {
  const owner = await memoir.keys.findOwner(actor, entity, id);
  return { entity, id, agentId: owner?.agentId ?? undefined, conversationId: owner?.conversationId ?? undefined };
}

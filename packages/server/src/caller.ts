/** Who is asking, and with which generation of client. */
import { createHash, timingSafeEqual } from "node:crypto";
import { type Actor, isId, type KeyHolder, type KeyRole, type Memoir, MemoirError } from "@memoir/core";
import type { FastifyRequest } from "fastify";

export interface Caller {
  readonly actor: Actor;
  readonly role: KeyRole;
  /** May act for any user and manage organizations. */
  readonly isAdmin: boolean;
  readonly key: KeyHolder["key"] | undefined;
  /** A tool at work, which answers nothing that people were asked. */
  readonly isTool?: boolean;
}

/** The caller's key is for one agent or conversation. */
export function isScoped({ key }: Caller): boolean {
  return key !== undefined && key.agentId !== null;
}

/** In password mode: `Authorization: Bearer <password>` or `X-BARE-PASSWORD: password <password>`. */
export function isAuthorized(request: FastifyRequest, password: string): boolean {
  const bearer = request.headers.authorization;
  const bare = request.headers["x-bare-password"];
  return isSame(bearer, `Bearer ${password}`) || isSame(String(bare ?? ""), `password ${password}`);
}

/** What stands after `Bearer`, whatever it is. */
export function readBearer(request: FastifyRequest): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
}

export function isSamePassword(input: string, password: string): boolean {
  return isSame(input, password);
}

/** Compares digests, so that neither length nor content shows in the time taken. */
function isSame(input: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(input ?? ""), digest(expected));
}

/** The user named by the `user_id` header; the default user where there is none, or where it names nobody. */
export async function resolveActor(memoir: Memoir, request: FastifyRequest): Promise<Actor> {
  const userId = request.headers.user_id;
  if (typeof userId !== "string" || userId === "") return memoir.defaultActor;
  if (!isId("user", userId)) {
    throw new MemoirError("invalid-argument", `Invalid user ID format: ${userId}. Expected format: 'user-<uuid4>'`);
  }
  return (await memoir.findActor(userId)) ?? memoir.defaultActor;
}

/**
 * Clients from 1.0 on name their version in a header of their own. Callers without a user agent count as current;
 * browsers, curl and the older clients do not.
 */
export function isCurrentClient(request: FastifyRequest): boolean {
  if (request.headers["x-stainless-package-version"]) return true;
  const agent = request.headers["user-agent"];
  if (agent === undefined || agent === "") return true;
  return /^(@letta-ai\/)?letta-client\/1\./.test(agent);
}

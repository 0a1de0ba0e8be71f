/**
 * What is looked at before anybody is asked who they are: that the request was meant for this server (a page elsewhere can
 * point a name of its own at this machine and talk to it through the browser), and that nobody asks too often.
 */
import { MemoirError } from "@memoir/core";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Names by which a server that listens on this machine only can be called. */
const ownNames = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Only for servers that let anyone in who can reach them. */
export function checkHosts(app: FastifyInstance, otherNames: readonly string[], origins: readonly string[]): void {
  const names = new Set(otherNames.map((name) => name.toLowerCase()));
  const isOwn = (name: string) => ownNames.test(name) || names.has(name.toLowerCase());
  app.addHook("onRequest", async (request, reply) => {
    const host = nameOf(request.headers.host ?? "");
    const origin = request.headers.origin;
    const isForeign = origin !== undefined && !origins.includes(origin) && !isSameOrigin(origin, request);
    if (isOwn(host) && !isForeign) return;
    const what = isForeign ? `pages from ${origin}` : `the name "${host}"`;
    const remedy = isForeign ? "MEMOIR_ORIGINS" : "MEMOIR_HOSTS";
    const detail = `this server is not for ${what}; list it in ${remedy} if that is meant`;
    return reply.code(403).type("application/json").send(JSON.stringify({ detail }));
  });
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}

/** Pages of this machine's other ports are as foreign as any: some requests reach us without the browser asking first. */
function isSameOrigin(origin: string, { headers }: FastifyRequest): boolean {
  return URL.parse(origin)?.host === headers.host?.toLowerCase();
}

export interface RateLimit {
  /** Throws when this caller has asked too often. */
  take(caller: string): void;
}

const windowMs = 60_000;
const maxCallers = 10_000;

/** So many requests a minute for each caller, counted in this process. */
export function createRateLimit(perMinute: number, now: () => number = Date.now): RateLimit {
  const counts = new Map<string, { since: number; count: number }>();
  return {
    take(caller) {
      const at = now();
      const entry = counts.get(caller);
      const current = entry && at - entry.since < windowMs ? entry : { since: at, count: 0 };
      if (!entry && counts.size >= maxCallers) counts.clear();
      counts.set(caller, current);
      if (++current.count <= perMinute) return;
      const seconds = Math.ceil((current.since + windowMs - at) / 1000);
      throw new MemoirError("too-many-requests", `at most ${perMinute} requests a minute; try again in ${seconds} s`, {
        details: { retryAfter: seconds },
      });
    },
  };
}

/** Browsers must not guess types or show us in frames; nothing here is for caches. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** For all but the page, which has headers of its own. Asks which route was matched, not how the address was spelled. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onSend", async ({ routeOptions: { url: pattern } }: FastifyRequest, reply) => {
    if (pattern !== undefined && !pattern.startsWith("/v1/") && pattern !== "/openapi.json") return;
    for (const [name, value] of Object.entries(securityHeaders)) {
      if (!reply.hasHeader(name)) reply.header(name, value);
    }
  });
}

/** Finds out who is asking before anything is read of what they ask. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type AccessOptions, identify } from "./authorize.ts";
import { type Caller, readBearer } from "./caller.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { createRateLimit } from "./request-guards.ts";
import type { Route } from "./route.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set before the handler of any route that is not open. */
    caller?: Caller;
  }
}

export interface GateOptions extends AccessOptions {
  /** Requests a minute for each key, or address where there are no keys. */
  readonly rateLimit?: number | undefined;
  readonly throttle: LoginThrottle;
}

/**
 * Everything but the open routes and the page needs a caller. Asks which route was matched, not how the address was
 * spelled: /%761/agents/ is a way of writing /v1/agents/. An address that is none is refused like the others.
 */
export function authenticate(app: FastifyInstance, options: GateOptions, routes: readonly Route[]): void {
  const open = new Set(routes.filter(({ access }) => access === "open").map(({ path }) => path));
  // The page asks for the password itself, so its files must be reachable without.
  const isPublic = (pattern: string | undefined) =>
    pattern !== undefined && (open.has(pattern) || !pattern.startsWith("/v1/"));
  const needsLogin = options.password !== undefined || options.needsKey === true;
  const limit = options.rateLimit === undefined ? undefined : createRateLimit(options.rateLimit);
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request, reply) => {
    const pattern = request.routeOptions.url;
    if (request.method === "OPTIONS" || isPublic(pattern) || (pattern === undefined && !needsLogin)) return;
    const isAttempt = isPasswordAttempt(options, request);
    if (isAttempt) options.throttle.check(request.ip);
    const caller = await identify(options, request);
    if (!caller) {
      if (isAttempt) options.throttle.fail(request.ip);
      // Whoever tries keys is counted too.
      limit?.take(request.ip);
      return reply
        .code(401)
        .type("application/json")
        .send(JSON.stringify({ detail: "Unauthorized" }));
    }
    limit?.take(caller.key?.id ?? request.ip);
    request.caller = caller;
  });
}

/** Keys are too long to guess, so a wrong one is not counted and a right one never has to wait. */
function isPasswordAttempt({ password, doors }: GateOptions, request: FastifyRequest): boolean {
  if (password === undefined) return false;
  if (request.headers["x-bare-password"] !== undefined) return true;
  if (request.headers.authorization === undefined) return false;
  const bearer = readBearer(request) ?? "";
  const isKey = bearer.startsWith("mk-") && !password.startsWith("mk-");
  return !isKey && doors?.findSession(bearer) === undefined;
}

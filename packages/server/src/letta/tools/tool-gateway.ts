/**
 * How a tool asks the server about its agent: by the call's own way in, which opens that agent only and is closed with
 * the call. The secret behind it is known to this process alone, and stored nowhere.
 */
import { type HideValue, type KeyHolder, parseJson, type ToolIdentity, type ToolSession } from "@memoir/core";
import type { FastifyInstance } from "fastify";
import type { Caller } from "../../caller.ts";

type SessionRequest = Parameters<ToolSession["handle"]>[0];
type SessionResponse = Awaited<ReturnType<ToolSession["handle"]>>;

/** Tools without any of these words have no use for a door, and start faster without. */
const wanted = /\bclient\b|\bLETTA_(API_KEY|BASE_URL)\b/;
const passedHeaders = ["content-type", "accept"];

export class ToolGateway {
  readonly #guests = new Map<string, Caller>();
  #app: FastifyInstance | undefined;

  /** Whom requests through a door are put to. */
  lead(app: FastifyInstance): void {
    this.#app = app;
  }

  findSession(secret: string): Caller | undefined {
    return this.#guests.get(secret);
  }

  open(source: string, identity: ToolIdentity, hide: HideValue): ToolSession | undefined {
    const { agentId, userId } = identity;
    if (agentId === undefined || userId === null || !wanted.test(source)) return undefined;
    // The tool never learns the secret that opens: what it is given is good for nothing outside of its own door.
    const [secret, key] = [makeSecret(), makeSecret()];
    this.#guests.set(secret, toCaller(identity, agentId, userId));
    return {
      key,
      library: { module: "letta_client", name: "Letta" },
      variables: { LETTA_API_KEY: key, LETTA_BASE_URL: "http://memoir.internal" },
      handle: (request) => this.#handle(secret, { ...request, body: hideInBody(request.body, hide) }),
      close: () => void this.#guests.delete(secret),
    };
  }

  /** Whatever the tool sends along, it is the call's secret that counts. */
  async #handle(secret: string, { method, path, headers, body }: SessionRequest): Promise<SessionResponse> {
    if (!this.#app || !path.startsWith("/v1/")) return { status: 404, type: "text/plain", body: "not found\n" };
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => passedHeaders.includes(name)));
    const answer = await this.#app.inject({
      method: method as "GET",
      url: path,
      headers: { ...passed, authorization: `Bearer ${secret}`, host: "127.0.0.1" },
      ...(body === "" ? {} : { payload: body }),
    });
    return {
      status: answer.statusCode,
      type: String(answer.headers["content-type"] ?? "text/plain"),
      body: answer.body,
    };
  }
}

/** What a tool has kept of its agent is read by models and people, who are not to find its secrets there. */
function hideInBody(body: string, hide: HideValue): string {
  const value = parseJson(body);
  if (value === undefined) return String(hide(body));
  const text = JSON.stringify(hide(value));
  return text === JSON.stringify(value) ? body : text;
}

const makeSecret = () => `mk-tool-${crypto.randomUUID()}${crypto.randomUUID()}`;

function toCaller({ orgId, toolName }: ToolIdentity, agentId: string, userId: string): Caller {
  const key: KeyHolder["key"] = {
    id: `key-tool-${agentId}`,
    userId,
    name: `tool ${toolName}`,
    role: "member",
    agentId,
    conversationId: null,
    mayOverride: false,
    createdAt: Date.now() * 1_000,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { actor: { orgId, userId }, role: "member", isAdmin: false, key, isTool: true };
}

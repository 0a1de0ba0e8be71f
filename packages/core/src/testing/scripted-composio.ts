/** Composio for tests: the two operations of its HTTP interface that its package asks when an action is run. */
import { type JsonAnswer, type JsonServer, startJsonServer } from "./json-server.ts";

export interface ScriptedActions {
  /** Keys that are known. */
  readonly keys: readonly string[];
  /** What an action gives, by its name; a promise that does not settle lets the caller wait. */
  readonly actions: Readonly<Record<string, (body: ActionBody) => JsonAnswer | Promise<JsonAnswer>>>;
}

export interface ActionBody {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly user_id: string;
  readonly version: string;
}

export const succeed = (data: object): JsonAnswer => ({
  body: { data, error: null, successful: true, log_id: "log_1", session_info: null },
});

export const fail = (error: string): JsonAnswer => ({
  body: { data: {}, error, successful: false, log_id: "log_1", session_info: null },
});

export const refuse = (status: number, slug: string, message: string): JsonAnswer => ({
  status,
  body: { error: { message, slug, status, code: 1810, request_id: "r", suggested_fix: "" } },
});

export async function startScriptedComposio({ keys, actions }: ScriptedActions): Promise<JsonServer> {
  return await startJsonServer(({ method, path, headers, body }) => {
    const key = String(headers["x-api-key"]);
    if (!keys.includes(key)) return refuse(401, "ApiKey_Invalid", `Invalid API key: ${key}`);
    const { pathname } = new URL(path, "http://scripted");
    const [, place, action = ""] = /^\/api\/v3\.1\/tools\/(execute\/)?(\w+)$/.exec(pathname) ?? [];
    const run = actions[action];
    if (!run) return refuse(404, "Tool_ToolNotFound", `Tool ${action} not found`);
    if (method === "GET" && !place) return { body: describeAction(action) };
    return method === "POST" && place ? run(body) : undefined;
  });
}

function describeAction(slug: string): object {
  const version = "20250909_00";
  return {
    slug,
    name: slug.toLowerCase(),
    description: "An action.",
    input_parameters: { type: "object", properties: {} },
    output_parameters: { type: "object", properties: {} },
    version,
    available_versions: [version],
    tags: [],
    scopes: [],
    scope_requirements: null,
    no_auth: false,
    is_deprecated: false,
    toolkit: { slug: "github", name: "GitHub", logo: "" },
    deprecated: {
      available_versions: [version],
      displayName: slug,
      is_deprecated: false,
      version,
      toolkit: { logo: "" },
    },
  };
}

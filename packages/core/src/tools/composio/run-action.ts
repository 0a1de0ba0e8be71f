/** One action at Composio, through the package of its makers, which is loaded when it is needed. */
import type { JsonObject, JsonValue } from "../../shared/json.ts";
import { ToolFailure } from "../../shared/tool-failure.ts";
import type { ComposioPackage, ComposioResult } from "./composio-package.ts";

export interface ComposioAccess {
  readonly apiKey?: string;
  /** Whose accounts are used where an agent does not say. */
  readonly entity?: string;
  /** In place of Composio's own address. */
  readonly baseUrl?: string;
  /** The package, from elsewhere. */
  readonly load?: () => Promise<ComposioPackage>;
}

export interface ActionCall {
  readonly action: string;
  readonly args: JsonObject;
  readonly apiKey: string;
  readonly entity: string;
  readonly signal: AbortSignal;
}

export const defaultEntity = "default";
const defaultAddress = "https://backend.composio.dev";

const loadPackage = (): Promise<ComposioPackage> => import("@composio/core");

/** Throws a ToolFailure that says what went wrong. */
export async function runAction(access: ComposioAccess, call: ActionCall): Promise<JsonValue> {
  const { action, args, apiKey, entity, signal } = call;
  const { Composio } = await openPackage(access);
  const composio = new Composio({
    apiKey,
    baseURL: access.baseUrl ?? defaultAddress,
    allowTracking: false,
    disableVersionCheck: true,
    dangerouslyAllowAutoUploadDownloadFiles: false,
  });
  const input = { userId: entity, arguments: args, dangerouslySkipVersionCheck: true };
  const result = await composio.tools.execute(action, input, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    throw refuse(call, readReason(error));
  });
  return readResult(call, result);
}

async function openPackage({ load = loadPackage }: ComposioAccess): Promise<ComposioPackage> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    throw new ToolFailure(
      "Composio needs the package @composio/core, which does not come with Memoir: " +
        "install it beside, with npm install @composio/core@0.19",
    );
  }
}

function readResult(call: ActionCall, { data, error, successful }: ComposioResult): JsonValue {
  if (!successful || error) throw refuse(call, error ?? "it gave no reason");
  return data as JsonObject;
}

const longestReason = 1_000;

function refuse({ action, entity, apiKey }: ActionCall, reason: string): ToolFailure {
  const bare = reason.replaceAll(apiKey, "[key]").trim().slice(0, longestReason);
  return new ToolFailure(`Composio did not run ${action} for "${entity}": ${bare}`);
}

/** What the service said; the package itself says only that it failed. */
function readReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  const body = "error" in cause ? (cause.error as { readonly error?: { readonly message?: unknown } }) : undefined;
  const said = body?.error?.message;
  return typeof said === "string" ? said : cause.message;
}

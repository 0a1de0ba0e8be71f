/** Access to E2B: API key, optional address, and the `e2b` package, which is loaded on demand. */
import { MemoirError } from "../../shared/errors.ts";
import type { E2bConnection, E2bPackage } from "./e2b-package.ts";

export interface E2bAccess {
  readonly apiKey?: string;
  readonly domain?: string;
  readonly apiUrl?: string;
  readonly sandboxUrl?: string;
  /** Replaces the package in tests. */
  readonly load?: () => Promise<E2bPackage>;
}

/** The package's own default. */
export const defaultTemplate = "base";

const loadPackage = (): Promise<E2bPackage> => import("e2b");

/** Throws an `unavailable` error that names the remedy. */
export async function openE2b({ apiKey, load = loadPackage }: E2bAccess): Promise<E2bPackage> {
  if (!apiKey) throw unavailable("E2B is not set up: set E2B_API_KEY to a key of an E2B account");
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    throw unavailable(
      "E2B needs the package e2b, which does not come with Memoir: install it beside, with npm install e2b@2",
    );
  }
}

export function connect({ apiKey, domain, apiUrl, sandboxUrl }: E2bAccess, signal?: AbortSignal): E2bConnection {
  return {
    ...(apiKey ? { apiKey } : {}),
    ...(domain ? { domain } : {}),
    ...(apiUrl ? { apiUrl } : {}),
    ...(sandboxUrl ? { sandboxUrl } : {}),
    ...(signal ? { signal } : {}),
  };
}

/** E2B's error message without the API key. */
export function describeE2bError(error: unknown, { apiKey = "" }: E2bAccess): MemoirError {
  if (error instanceof MemoirError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const bare = apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
  return unavailable(`E2B did not run it: ${bare.trim().slice(0, 300)}`);
}

function unavailable(message: string): MemoirError {
  return new MemoirError("unavailable", message);
}

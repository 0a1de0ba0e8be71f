/** Finds out whether a provider takes a key, by asking it, and says so in terms of what the caller can do. */
import { canList, type NamedProvider } from "../../model/listing/list-provider.ts";
import type { LiveModels } from "../../model/listing/live-models.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";

export interface CheckParts {
  readonly live: LiveModels;
  readonly tryModel: (provider: NamedProvider) => Promise<void>;
}

export async function checkProvider({ live, tryModel }: CheckParts, provider: NamedProvider): Promise<void> {
  await blameCaller(async () => {
    if (canList(provider.type)) await live.refresh(provider);
    else await tryModel(provider);
  });
}

/** A provider that fails for what the caller gave is no failure of this server. */
export async function blameCaller(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isMemoirError(error)) throw error;
    const { code, message, details } = error;
    if (details.status === 403) throw new MemoirError("llm-authentication", message, { details });
    if (code === "llm-error" || code === "llm-timeout" || code === "llm-overloaded") {
      throw new MemoirError("invalid-argument", message, { details });
    }
    throw error;
  }
}

/**
 * What providers answered when they were last asked for their models, kept for a few minutes. An older answer is still
 * given, and asked for again in the background: nobody waits for a list that was there before.
 */
import { createHash } from "node:crypto";
import { isMemoirError, type MemoirError } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { toModelError } from "../errors.ts";
import { listProvider, type NamedProvider } from "./list-provider.ts";
import type { ListedModel } from "./listed-model.ts";

export interface LiveModels {
  /** Throws when the provider cannot be asked, or could not a moment ago. */
  list(provider: NamedProvider): Promise<readonly ListedModel[]>;
  /** Asks in any case. */
  refresh(provider: NamedProvider): Promise<readonly ListedModel[]>;
  /** What is known, without waiting; undefined when nothing is. Asks in the background where it is time to. */
  peek(provider: NamedProvider): readonly ListedModel[] | undefined;
}

export interface LiveModelsOptions {
  readonly fetch: typeof fetch;
  /** For addresses that callers of the API gave; `fetch` unless it is set. */
  readonly foreignFetch?: typeof fetch;
  readonly log: Log;
  /** Milliseconds. */
  readonly now?: () => number;
  readonly freshMs?: number;
  /** How long a failure stands before the provider is asked again. */
  readonly failedMs?: number;
}

interface Entry {
  models?: readonly ListedModel[];
  askedAt: number;
  failure?: MemoirError;
  pending?: Promise<readonly ListedModel[]>;
}

/** Users may store any number of providers. */
const maxEntries = 256;

export function createLiveModels(options: LiveModelsOptions): LiveModels {
  const {
    fetch,
    foreignFetch = fetch,
    log,
    now = () => performance.now(),
    freshMs = 300_000,
    failedMs = 5_000,
  } = options;
  const entries = new Map<string, Entry>();

  const entryOf = (provider: NamedProvider): Entry => {
    const key = keyOf(provider);
    const entry: Entry = entries.get(key) ?? { askedAt: Number.NEGATIVE_INFINITY };
    // Taken out and put back: the one that was not used for longest is the first.
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    return entry;
  };

  const ask = (provider: NamedProvider, entry: Entry): Promise<readonly ListedModel[]> => {
    entry.pending ??= listProvider(provider, provider.access.isForeign ? foreignFetch : fetch)
      .then((models) => {
        entry.models = models;
        entry.failure = undefined;
        return models;
      })
      .catch((error: unknown) => {
        entry.failure = isMemoirError(error) ? error : toModelError(error, { provider: provider.name, model: "" });
        const { code, message } = entry.failure;
        const tell = provider.isGuessed ? log.debug : log.warn;
        tell.call(log, { provider: provider.name, code, reason: message }, "a provider did not tell its models");
        throw entry.failure;
      })
      .finally(() => {
        entry.askedAt = now();
        entry.pending = undefined;
      });
    return entry.pending;
  };

  const peek = (provider: NamedProvider) => {
    const entry = entryOf(provider);
    if (entry.models && now() - entry.askedAt > freshMs) ask(provider, entry).catch(() => undefined);
    return entry.models;
  };

  return {
    peek,
    refresh: (provider) => ask(provider, entryOf(provider)),
    async list(provider) {
      const known = peek(provider);
      if (known) return known;
      const entry = entryOf(provider);
      if (entry.failure && !entry.pending && now() - entry.askedAt < failedMs) throw entry.failure;
      return await ask(provider, entry);
    },
  };
}

/** Whoever has another key sees another list. */
function keyOf({ name, type, access }: NamedProvider): string {
  return createHash("sha256")
    .update(JSON.stringify([name, type, access]))
    .digest("base64");
}

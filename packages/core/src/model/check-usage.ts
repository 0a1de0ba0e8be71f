/** Token counts are foreign numbers: those that no database column holds are left out before anything is stored. */
import type { Usage } from "../shared/content.ts";
import type { Log } from "../shared/log.ts";
import type { Model, ModelChunk, ModelRequest } from "./model.ts";
import type { Models } from "./providers.ts";

/** What an integer column of PostgreSQL holds; both databases store the same. */
export const maxTokens = 2 ** 31 - 1;

/** Rounded to a whole number; undefined for what is no count of tokens. */
export function toTokens(value: unknown): number | undefined {
  if (typeof value !== "number" || !(value >= 0 && value <= maxTokens)) return undefined;
  return Math.round(value);
}

/** A warning names the provider that reported something else. */
export function checkUsage(models: Models, log: Log): Models {
  return {
    get(config, access) {
      const model = models.get(config, access);
      return { stream: (request, signal) => streamChecked(model, log, request, signal) };
    },
  };
}

async function* streamChecked(
  model: Model,
  log: Log,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk> {
  for await (const chunk of model.stream(request, signal)) {
    if (chunk.type !== "reply") yield chunk;
    else yield { ...chunk, reply: { ...chunk.reply, usage: toSoundUsage(chunk.reply.usage, request, log) } };
  }
}

function toSoundUsage(usage: Usage, { config }: ModelRequest, log: Log): Usage {
  const sound = soundUsage(usage);
  const names = Object.keys(sound) as (keyof Usage)[];
  const dropped = names.filter((name) => isDropped(usage[name], sound[name]));
  if (dropped.length > 0) {
    const reported = Object.fromEntries(dropped.map((name) => [name, String(usage[name])]));
    log.warn({ model: config.handle, reported }, "a provider reported token counts that are none; they are left out");
  }
  return sound;
}

const isDropped = (before: unknown, after: unknown) =>
  typeof before === "number" && toTokens(before) === undefined && after !== before;

function soundUsage(usage: Usage): Usage {
  const promptTokens = toTokens(usage.promptTokens) ?? 0;
  const completionTokens = toTokens(usage.completionTokens) ?? 0;
  const orNull = (count: number | null) => (count === null ? null : (toTokens(count) ?? null));
  return {
    ...usage,
    promptTokens,
    completionTokens,
    totalTokens: toTokens(usage.totalTokens) ?? Math.min(promptTokens + completionTokens, maxTokens),
    cachedTokens: orNull(usage.cachedTokens),
    cacheWriteTokens: orNull(usage.cacheWriteTokens),
    reasoningTokens: orNull(usage.reasoningTokens),
  };
}

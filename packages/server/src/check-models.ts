/** Looks at the configured models at the start: a name that cannot exist is refused, one that cannot be looked up is noted. */
import { isMemoirError, type Memoir, MemoirError } from "@memoir/core";
import type { ServerConfig } from "./config/settings.ts";

interface Warnings {
  warn(fields: object, message: string): void;
}

export async function checkModels(
  memoir: Memoir,
  { defaultModel, fallbackModels }: Pick<ServerConfig, "defaultModel" | "fallbackModels">,
  log: Warnings,
): Promise<void> {
  if (defaultModel !== undefined) await checkModel(memoir, "--default-model", defaultModel, log);
  for (const handle of fallbackModels) await checkModel(memoir, "--fallback-models", handle, log);
}

async function checkModel(memoir: Memoir, flag: string, handle: string, log: Warnings): Promise<void> {
  try {
    await memoir.models.resolve(memoir.defaultActor, handle);
  } catch (error) {
    if (!isMemoirError(error)) throw error;
    if (error.details.isCertain === false) {
      log.warn({ model: handle }, `${flag} could not be checked: ${error.message}`);
      return;
    }
    throw new MemoirError("invalid-argument", `${flag} names a model that does not exist: ${error.message}.`, {
      cause: error,
    });
  }
}

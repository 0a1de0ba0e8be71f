/** Says of a failure that the key was the user's own: whoever runs the server can do nothing about it. */
import type { Model } from "../../model/model.ts";
import type { Models } from "../../model/providers.ts";
import { isMemoirError, MemoirError } from "../../shared/errors.ts";

export function markOwnKeys(models: Models): Models {
  return {
    get: (config, access) => {
      const model = models.get(config, access);
      return config.category === "byok" ? markFailures(model) : model;
    },
  };
}

function markFailures(model: Model): Model {
  return {
    async *stream(request, signal) {
      try {
        yield* model.stream(request, signal);
      } catch (error) {
        if (!isMemoirError(error)) throw error;
        const { code, message, details, cause } = error;
        throw new MemoirError(code, `${message} [BYOK]`, { details: { ...details, isOwnKey: true }, cause });
      }
    },
  };
}

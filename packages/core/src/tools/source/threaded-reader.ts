/** Reads the source of tools on a thread: what 500,000 odd characters do to a grammar is felt by nobody else. */
import type { JsonObject } from "../../shared/json.ts";
import { runOnThread, ThreadFailure, ThreadNeeded, type ThreadTask } from "../../threads/threads.ts";
import type { SourceReader } from "./describe-source.ts";
import { sourceError } from "./source-error.ts";
import type { SourceSchema } from "./source-schema.ts";

const deadlineMs = 5_000;

/**
 * For one operation, inside `withThreads`: throws ThreadNeeded for what it has not read yet, and answers from memory when
 * the operation is run again.
 */
export function createThreadedReader(): SourceReader {
  const known = new Map<string, { readonly value?: unknown; readonly error?: unknown }>();
  const read = (task: ThreadTask, input: readonly unknown[]): unknown => {
    const key = JSON.stringify([task, input]);
    const found = known.get(key);
    if (!found) {
      throw new ThreadNeeded(async (owner) => {
        await runOnThread(task, input, { owner, deadlineMs }).then(
          (value) => known.set(key, { value }),
          (error: unknown) => known.set(key, { error: error instanceof ThreadFailure ? tooComplicated() : error }),
        );
      });
    }
    if ("error" in found) throw found.error;
    return found.value;
  };
  return {
    describe: (language, source, options: { name?: string; argsSchema?: JsonObject } = {}) =>
      read("describe-source", [language, source, options]) as SourceSchema,
    hasFunction: (language, source, name) => read("find-function", [language, source, name]) as boolean,
  };
}

const tooComplicated = () => sourceError("the source is too complicated to be read: shorten it, or send json_schema");

/**
 * TypeScript to JavaScript. Types are blanked out where possible, so that lines and columns stay; code such as enums is
 * transformed. A few kilobytes of source can keep the parser busy for minutes or break it for later calls, so it runs
 * on a thread; results are cached.
 */
import { runOnThread, ThreadFailure } from "../threads/threads.ts";
import type { Stripped } from "./strip-source.ts";

const known = new Map<string, string>();
const maxKnown = 200;
const longestKnown = 50_000;
const defaultDeadlineMs = 3_000;

/** Rejects with a SyntaxError that names the cause. */
export async function stripTypes(source: string, owner: string, deadlineMs = defaultDeadlineMs): Promise<string> {
  const kept = known.get(source);
  if (kept !== undefined) return kept;
  const { code, fault = tooMuch } = await runOnThread<Stripped>("strip-types", source, { owner, deadlineMs }).catch(
    (error: unknown): Stripped => {
      if (error instanceof ThreadFailure) return {};
      throw error;
    },
  );
  if (code === undefined) throw new SyntaxError(fault);
  if (known.size >= maxKnown) known.clear();
  if (source.length <= longestKnown) known.set(source, code);
  return code;
}

const tooMuch = "the source is nested too deeply, or too complicated, to be read as TypeScript: make it simpler";

/** Settings of compaction laid over others. */
import type { CompactionSettings } from "../shared/compaction-settings.ts";
import { omitUndefined } from "../shared/omit-undefined.ts";
import { compactionPrompts } from "./prompts.ts";

/** Set fields count; another mode takes its own prompt unless one came along. */
export function mergeCompaction(stored: CompactionSettings, input: Partial<CompactionSettings>): CompactionSettings {
  const mode = input.mode ?? stored.mode;
  const prompt = input.prompt ?? (mode === stored.mode ? stored.prompt : compactionPrompts[mode]);
  return { ...stored, ...omitUndefined(input), mode, prompt };
}

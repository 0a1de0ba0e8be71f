/** What a tool returned, as the model is shown it. */
import type { JsonValue } from "../shared/json.ts";

/** Their results are short by construction and useless when cut. */
const neverCut: ReadonlySet<string> = new Set(["conversation_search", "archival_memory_search"]);

export function showOutput(tool: string, output: JsonValue, charLimit: number): string {
  const text = output === null ? "None" : typeof output === "string" ? output : JSON.stringify(output);
  if (text.length <= charLimit || neverCut.has(tool)) return text;
  return `${text.slice(0, charLimit)}... [NOTE: function output was truncated: ${text.length} characters, limit ${charLimit}]`;
}

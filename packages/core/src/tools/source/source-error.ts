/** What is said when a tool's source does not tell what the tool takes: what is missing, where, and what to do. */
import { MemoirError } from "../../errors.ts";

export function sourceError(problem: string): MemoirError {
  return new MemoirError("invalid-source", `Failed to derive json schema: ${problem}`, {
    details: { field: "source_code" },
  });
}

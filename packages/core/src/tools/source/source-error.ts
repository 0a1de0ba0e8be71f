/** What is said when a tool's source does not tell what the tool takes: what is missing, where, and what to do. */
import { MemoirError } from "../../shared/errors.ts";

/** The line is the source's, from 1. */
export function sourceError(problem: string, line?: number): MemoirError {
  const place = line === undefined ? "" : `line ${line}: `;
  return new MemoirError("invalid-source", `Failed to derive json schema: ${place}${problem}`, {
    details: { field: "source_code" },
  });
}

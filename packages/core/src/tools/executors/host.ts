/** Tools that the program Memoir is embedded in brings along: its own functions, run in its own process. */
import { MemoirError } from "../../shared/errors.ts";
import type { JsonObject } from "../../shared/json.ts";
import { builtinTools } from "../builtin/list.ts";
import type { Executors, OutsideCall, ToolEffect, ToolOutput } from "../tool.ts";

/** How their rows are marked, so that a stored tool of the same name is never taken for one. */
export const hostToolKind = "host";

export interface HostTool {
  readonly name: string;
  /** Read by models: what the tool does, when to use it, what comes back. */
  readonly description: string;
  /** JSON schema of an object; calls that do not fit it never reach `run`. */
  readonly parameters: JsonObject;
  /** What a second call would mean, should the first be cut off. */
  readonly effect: ToolEffect;
  /** Whether calls of one step may run side by side. */
  readonly isParallel?: boolean;
  /** After so long the call counts as failed; five minutes unless given. */
  readonly timeoutMs?: number;
  run(args: JsonObject, call: OutsideCall): ToolOutput | Promise<ToolOutput>;
}

const defaultTimeoutMs = 300_000;
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

export function createHostExecutors(tools: readonly HostTool[]): Executors {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    find({ name, kind }) {
      const tool = kind === hostToolKind ? byName.get(name) : undefined;
      if (!tool) return undefined;
      return {
        effect: tool.effect,
        timeoutMs: tool.timeoutMs ?? defaultTimeoutMs,
        run: async (args, call) => ({ output: await tool.run(args, call) }),
      };
    },
  };
}

export function rejectUnfitHostTools(tools: readonly HostTool[]): void {
  const taken = new Set(builtinTools.map(({ name }) => name));
  for (const { name, parameters } of tools) {
    if (!namePattern.test(name)) {
      throw refuse(`the tool name "${name}" must be 1 to 64 letters, digits, "_" or "-"`);
    }
    if (taken.has(name)) throw refuse(`there is a tool "${name}" already: give yours another name`);
    if (parameters.type !== "object") throw refuse(`the parameters of "${name}" must be the JSON schema of an object`);
    taken.add(name);
  }
}

function refuse(message: string): MemoirError {
  return new MemoirError("invalid-argument", message, { details: { field: "tools" } });
}

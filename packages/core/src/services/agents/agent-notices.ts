/** What of an agent does not work on this server yet, in sentences for its owner. */
import type { Agent } from "../../store/agents/agents.ts";
import type { Tool } from "../../store/tools/tools.ts";
import { canEditMemory, isRunnable } from "../../tools/offered-tools.ts";
import type { Executors } from "../../tools/tool.ts";

export interface NoticedAgent {
  readonly agent: Pick<Agent, "sleeptime">;
  readonly tools: readonly Tool[];
}

export function listNotices({ agent, tools }: NoticedAgent, executors: Executors): string[] {
  const missing = tools.filter((tool) => !isRunnable(tool, executors)).map(({ name }) => name);
  return [
    ...(agent.sleeptime ? [describePartner(tools)] : []),
    ...(missing.length > 0
      ? [`These tools cannot run on this server yet, so the model is not offered them: ${missing.join(", ")}.`]
      : []),
  ];
}

function describePartner(tools: readonly Tool[]): string {
  const partner = "The sleep-time partner of this agent does not run on this server yet";
  return canEditMemory(tools)
    ? `${partner}: the agent edits its memory with its own tools.`
    : `${partner}, and the agent has no tool to edit its memory: attach memory_insert and memory_replace.`;
}

/** An agent's memory as a tool's code sees it, and what becomes of the values it assigns there. */
import { refusal } from "../../memory/block-rules.ts";
import type { Runtime } from "../../runtime.ts";
import type { BlockChange } from "../../sandbox/sandbox.ts";
import type { JsonObject } from "../../shared/json.ts";
import { loadCoreMemory } from "../../store/blocks/core-memory.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { editBlock } from "../../tools/builtin/edit-block.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { type AgentView, viewAgent } from "../agent-view/agent-view.ts";

/** How an agent is put to code that declares `agent_state`. */
export type ComposeAgentState = (view: AgentView, orgId: string) => JsonObject;

export interface ToolMemory {
  readonly state: JsonObject;
  /** The values the tool began with, by label. */
  readonly before: ReadonlyMap<string, string>;
}

/** Where nobody says how to put it. */
export const plainAgentState: ComposeAgentState = ({ agent, blocks, tags }) => ({
  id: agent.id,
  name: agent.name,
  description: agent.description,
  system: agent.system,
  timezone: agent.timezone,
  metadata: agent.metadata,
  tags: [...tags],
  memory: {
    blocks: blocks.map(({ id, label, value, description, charLimit, readOnly }) => ({
      ...{ id, label, value, description },
      limit: charLimit,
      read_only: readOnly,
    })),
  },
});

/** Without secrets, tools and rules: a tool gets its own secrets by name, in its environment. */
export async function readToolMemory(
  runtime: Runtime,
  scope: Scope,
  { agentId, conversationId }: Pick<ToolContext, "agentId" | "conversationId">,
  compose: ComposeAgentState,
): Promise<ToolMemory> {
  const view = await viewAgent(runtime, scope, agentId, new Set(["tags"]));
  const blocks = (await loadCoreMemory(scope, agentId, conversationId)).map((block) => ({ ...block, tags: [] }));
  const state = compose({ ...view, agent: { ...view.agent, toolRules: [] }, blocks }, scope.orgId);
  return { state, before: new Map(blocks.map(({ label, value }) => [label, value])) };
}

/** All of them or none; a value that someone else changed while the tool ran is not overwritten. */
export async function keepChanges(
  scope: Scope,
  context: ToolContext,
  { before }: ToolMemory,
  changes: readonly BlockChange[],
): Promise<void> {
  for (const { label, value } of changes) {
    await editBlock(scope, context, label, (current) => {
      if (current === before.get(label)) return value;
      throw refusal(
        `Block "${label}" was changed by someone else while the tool ran. Nothing was saved. Call it again.`,
      );
    });
  }
}

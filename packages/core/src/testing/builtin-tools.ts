/** What tests of builtin tools start from: an agent, and its tools called each in a transaction of its own. */
import { expect, type TestContext } from "vitest";
import type { NewAgent } from "../services/agents/agent-create.ts";
import { MemoirError } from "../shared/errors.ts";
import type { JsonObject } from "../shared/json.ts";
import { type CoreBlock, loadCoreMemory } from "../store/blocks/core-memory.ts";
import { getDefaultConversation } from "../store/conversations/conversations.ts";
import { StaleWriteError } from "../store/engine/entity.ts";
import { builtinExecutors } from "../tools/builtin/list.ts";
import type { ToolContext, ToolOutput } from "../tools/tool.ts";
import type { DialectName } from "./databases.ts";
import { openWorld, type World } from "./worlds.ts";

export interface ToolUser {
  readonly context: ToolContext;
  call(name: string, args?: JsonObject): Promise<ToolOutput>;
  /** What the model is told. The call must fail on purpose and leave memory as it was. */
  refuse(name: string, args?: JsonObject): Promise<string>;
  readMemory(): Promise<CoreBlock[]>;
  /** Text by label. */
  readValues(): Promise<Record<string, string>>;
}

export interface ToolWorld extends World, ToolUser {
  /** Another agent of the same organization. */
  createUser(input?: NewAgent): Promise<ToolUser>;
  /** The same agent in another conversation. */
  inConversation(conversationId: string): ToolUser;
}

export async function openToolWorld(
  dialect: DialectName,
  context: TestContext,
  input: NewAgent = {},
): Promise<ToolWorld> {
  const world = await openWorld(dialect, context);
  const createUser = async (other: NewAgent = {}): Promise<ToolUser> => {
    const { agent } = await world.createAgent(other);
    const { id } = await getDefaultConversation(world.scope, agent.id);
    return useTools(world, agent.id, id, agent.timezone);
  };
  const user = await createUser(input);
  const { agentId, timezone } = user.context;
  return { ...world, ...user, createUser, inConversation: (id) => useTools(world, agentId, id, timezone) };
}

export function useTools({ store, actor }: World, agentId: string, conversationId: string, timezone: string): ToolUser {
  const cause = { kind: "tool", userId: actor.userId, agentId, toolCallId: "call-1" } as const;
  const context: ToolContext = { agentId, conversationId, timezone, cause };
  const readMemory = () => loadCoreMemory(store.read(actor.orgId), agentId, conversationId);
  const call = async (name: string, args: JsonObject = {}) => {
    const run = builtinExecutors.get(name);
    if (!run) throw new Error(`${name} is no builtin tool`);
    return await store.write(actor.orgId, (scope) => run(scope, args, context));
  };
  return {
    context,
    call,
    readMemory,
    readValues: async () => Object.fromEntries((await readMemory()).map(({ label, value }) => [label, value])),
    refuse: async (name, args) => {
      const before = await readMemory();
      const error = await call(name, args).then(
        (output) => expect.fail(`${name} should have been refused and answered ${JSON.stringify(output)}`),
        (reason: unknown) => reason,
      );
      if (!(error instanceof MemoirError) || error instanceof StaleWriteError) throw error;
      expect(error.code).toBe("tool-failed");
      expect(error.message).not.toMatch(/^Error/);
      expect(await readMemory()).toEqual(before);
      return error.message;
    },
  };
}

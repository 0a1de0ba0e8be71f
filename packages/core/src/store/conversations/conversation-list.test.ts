import { describe, expect, type TestContext, test } from "vitest";
import { defaultOrgId } from "../../shared/ids.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";
import type { Scope } from "../engine/scope.ts";
import { insertRun, type Run } from "../runs/runs.ts";
import { type ConversationOrder, listConversations } from "./conversation-list.ts";
import { insertConversation } from "./conversations.ts";
import { insertMessages, newMessage } from "./messages.ts";

const moment = 1_700_000_000_000_000;

/** Conversations all made in one instant; every third has a message and a run, pairs of them at equal times. */
async function open(dialect: DialectName, context: TestContext, count: number) {
  const { store, createAgent } = await openWorld(dialect, context);
  const { agent } = await createAgent();
  const ids = await store.write(defaultOrgId, async (scope) => {
    const made: string[] = [];
    for (let index = 0; index < count; index++) {
      const id = await insertOne(scope, agent.id, `Talk ${index}`);
      if (index % 3 === 0) await speak(scope, agent.id, id, moment + 1 + Math.floor(index / 6));
      made.push(id);
    }
    return made;
  });
  return { scope: store.read(defaultOrgId), agentId: agent.id, ids };
}

async function insertOne(scope: Scope, agentId: string, title: string): Promise<string> {
  const times = { createdAt: moment, updatedAt: moment };
  const id = scope.newId("conv");
  const system = newMessage(scope, { agentId, conversationId: id, role: "system", ...times });
  const input = { id, agentId, isDefault: false, systemMessageId: system.id, createdBy: null, title, ...times };
  await insertConversation(scope, input);
  await insertMessages(scope, [system]);
  return id;
}

async function speak(scope: Scope, agentId: string, conversationId: string, at: number): Promise<void> {
  await insertMessages(scope, [newMessage(scope, { agentId, conversationId, role: "user", createdAt: at })]);
  const request = { input: [], maxSteps: 1, firstStepId: "step-1", model: null, system: null, view: {} };
  await insertRun(scope, {
    id: scope.newId("run"),
    agentId,
    conversationId,
    epoch: 1,
    status: "completed",
    stopReason: "end_turn",
    kind: "send_message",
    isBackground: false,
    isCancelled: false,
    takeovers: 0,
    request: request as unknown as Run["request"],
    metadata: null,
    callbackUrl: null,
    callbackSentAt: null,
    callbackStatus: null,
    callbackError: null,
    durationNs: null,
    endedAt: at,
    createdAt: at,
    updatedAt: at,
    createdBy: null,
  });
}

describe.for(dialects)("%s", (dialect) => {
  test.for(["created_at", "last_message_at", "last_run_at"] as const)(
    "every conversation stands on exactly one page, by %s, in both directions, though times are equal",
    async (orderBy: ConversationOrder, context) => {
      const { scope, agentId, ids } = await open(dialect, context, 25);
      for (const order of ["asc", "desc"] as const) {
        const seen: string[] = [];
        for (let after: string | undefined; ; ) {
          const page = await listConversations(scope, { agentId }, { limit: 4, order, after }, orderBy);
          if (page.length === 0) break;
          seen.push(...page.map(({ id }) => id));
          after = seen.at(-1);
        }
        expect(seen).toHaveLength(25);
        expect(new Set(seen)).toEqual(new Set(ids));
        const whole = await listConversations(scope, { agentId }, { limit: 100, order }, orderBy);
        expect(seen).toEqual(whole.map(({ id }) => id));
        if (orderBy === "created_at") continue;
        const silent = ids.filter((_, index) => index % 3 !== 0);
        expect(new Set(seen.slice(-silent.length))).toEqual(new Set(silent));
        const first = ids.indexOf(seen[0] ?? "");
        expect(order === "asc" ? [0, 3] : [24]).toContain(first);
      }
    },
  );

  test("titles are searched in any case and taken literally", async (context) => {
    const { scope, agentId } = await open(dialect, context, 12);
    const titles = async (search: string) =>
      (await listConversations(scope, { agentId, search }, { limit: 50, order: "asc" })).map(({ title }) => title);
    expect((await titles("TALK 1")).sort()).toEqual(["Talk 1", "Talk 10", "Talk 11"]);
    expect(await titles("%")).toEqual([]);
    expect(await titles("_alk")).toEqual([]);
  });

  test("the default conversation, those of other agents and an unknown cursor are not listed", async (context) => {
    const { scope, ids } = await open(dialect, context, 3);
    expect(await listConversations(scope, {}, { limit: 50, order: "asc" })).toHaveLength(ids.length);
    expect(await listConversations(scope, { agentId: "agent-none" }, { limit: 50, order: "asc" })).toEqual([]);
    await expect(listConversations(scope, {}, { limit: 50, order: "asc", after: "conv-none" })).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

import { describe, expect, type TestContext, test } from "vitest";
import { defaultOrgId } from "../../shared/ids.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";
import { appendEntries, getDefaultConversation, insertConversation } from "./conversations.ts";
import { listConversationMessages, listMessages, type MessagePage } from "./message-list.ts";
import { insertMessages, type Message, newMessage } from "./messages.ts";

const moment = 1_700_000_000_000_000;

/** Seven messages in the default conversation, all of one instant, and a fork that took five of them and has two more. */
async function open(dialect: DialectName, context: TestContext) {
  const { store, createAgent } = await openWorld(dialect, context);
  const { agent } = await createAgent();
  const agentId = agent.id;
  const made = await store.write(defaultOrgId, async (scope) => {
    const { id } = await getDefaultConversation(scope, agentId);
    const say = (conversationId: string, input: Partial<Message> = {}) =>
      newMessage(scope, { agentId, conversationId, role: "user", createdAt: moment, ...input });
    const own = Array.from({ length: 7 }, (_, index) =>
      say(id, { isError: index === 3, groupId: index > 4 ? "group-1" : null }),
    );
    await insertMessages(scope, own);
    const forkId = scope.newId("conv");
    const system = say(forkId, { role: "system", inContext: false });
    const fork = await insertConversation(scope, {
      id: forkId,
      agentId,
      isDefault: false,
      systemMessageId: system.id,
      createdBy: null,
    });
    const added = [say(forkId), say(forkId)];
    await insertMessages(scope, [system, ...added]);
    const taken = own.slice(0, 6).filter(({ isError }) => !isError);
    await appendEntries(
      scope,
      forkId,
      0,
      taken.map((message) => message.id),
    );
    const ids = (messages: readonly Message[]) => messages.map((message) => message.id);
    return { defaultId: id, own: ids(own), fork, forked: [system.id, ...ids(taken), ...ids(added)] };
  });
  return { scope: store.read(defaultOrgId), agentId, ...made };
}

/** Page by page from one end to the other, in the order asked for. */
async function walk(list: (page: MessagePage) => Promise<Message[]>, from: MessagePage["from"], limit: number) {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const place = from === "oldest" ? { after: cursor } : { before: cursor };
    const page = (await list({ limit, from, ...place })).map(({ id }) => id);
    if (page.length === 0) return seen;
    if (from === "oldest") seen.push(...page);
    else seen.unshift(...page);
    cursor = from === "oldest" ? page.at(-1) : page[0];
  }
}

describe.for(dialects)("%s", (dialect) => {
  test.for([1, 2, 3, 100])(
    "every message stands on exactly one page of %i, from either end, though times are equal",
    async (limit, context) => {
      const { scope, defaultId, own, fork, forked } = await open(dialect, context);
      const sound = own.filter((_, index) => index !== 3);
      for (const from of ["oldest", "newest"] as const) {
        const ofAgent = (page: MessagePage) => listMessages(scope, { conversationId: defaultId }, page);
        expect((await walk(ofAgent, from, limit)).slice(1)).toEqual(sound);
        const ofFork = (page: MessagePage) => listConversationMessages(scope, fork, page);
        expect(await walk(ofFork, from, limit)).toEqual(forked);
      }
    },
  );

  test("cursors are exclusive, both together make a window, and too many keep the end asked for", async (context) => {
    const { scope, fork, forked } = await open(dialect, context);
    const ids = async (page: Partial<MessagePage>) =>
      (await listConversationMessages(scope, fork, { limit: 50, from: "newest", ...page })).map(({ id }) => id);
    expect(await ids({ after: forked[0], before: forked[4] })).toEqual(forked.slice(1, 4));
    expect(await ids({ before: forked[0] })).toEqual([]);
    expect(await ids({ after: forked.at(-1) })).toEqual([]);
    expect(await ids({ after: forked[1], limit: 2 })).toEqual(forked.slice(-2));
    expect(await ids({ after: forked[1], limit: 2, from: "oldest" })).toEqual(forked.slice(2, 4));
    expect(await ids({ limit: 0 })).toEqual([]);
    await expect(ids({ after: "message-none" })).rejects.toMatchObject({ code: "not-found" });
    expect(await ids({ after: "message-none", unknownCursor: "ignore" })).toEqual(forked);
  });

  test("messages of failed attempts and of a group are listed where they are asked for", async (context) => {
    const { scope, agentId, own } = await open(dialect, context);
    const page: MessagePage = { limit: 50, from: "oldest" };
    const ids = async (filter: object) => (await listMessages(scope, { agentId }, page, filter)).map(({ id }) => id);
    expect(await ids({})).not.toContain(own[3]);
    expect(await ids({ withErrors: true })).toContain(own[3]);
    expect(await ids({ groupId: "group-1" })).toEqual(own.slice(5));
  });
});

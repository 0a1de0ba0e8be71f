/** `memoir doctor AGENT` in a terminal, and the same over HTTP. */
import { Memoir } from "@memoir/core";
import { expect, test } from "vitest";
import { getDefaultConversation } from "../../packages/core/src/store/conversations/conversations.ts";
import { insertMessages, newMessage } from "../../packages/core/src/store/conversations/messages.ts";
import { Store } from "../../packages/core/src/store/engine/store.ts";
import { createDatabase, dialects, testEncryptionKey } from "../../packages/core/src/testing/databases.ts";
import { runMemoir, startServer } from "../support/server.ts";

/** What a careless import leaves: a result without a call, a call without a result, an empty message. */
async function breakAgent(database: string, agentId: string): Promise<void> {
  const store = await Store.open({ database });
  const call = { id: "call_1", name: "conversation_search", arguments: "{}" };
  const result = { callId: "call_0", name: "conversation_search", status: "success" as const, output: "found" };
  const { orgId } = new Memoir({ database: ":memory:" }).defaultActor;
  await store.write(orgId, async (scope) => {
    const { id: conversationId } = await getDefaultConversation(scope, agentId);
    const origin = { agentId, conversationId };
    await insertMessages(scope, [
      newMessage(scope, { ...origin, role: "tool", toolReturns: [result] }),
      newMessage(scope, { ...origin, role: "assistant", content: [], toolCalls: [call] }),
      newMessage(scope, { ...origin, role: "user", content: [] }),
    ]);
  });
  await store.close();
}

test.for(dialects)(
  "%s: doctor explains a broken agent, mends it when told to, and says so by its status",
  async (dialect, context) => {
    const database = await createDatabase(dialect, context);
    const memoir = new Memoir({ database, encryptionKey: testEncryptionKey });
    await memoir.start();
    const { agent } = await memoir.agents.create(memoir.defaultActor, { model: "memoir/demo", name: "Import" });
    await memoir.close();
    const doctor = (...words: string[]) => runMemoir(["doctor", ...words, "--database", database]);

    const healthy = await doctor(agent.id);
    expect([healthy.status, healthy.stdout]).toEqual([0, expect.stringContaining("Everything is in order.")]);
    await breakAgent(database, agent.id);
    const looked = await doctor("Import");
    expect(looked.status).toBe(1);
    expect(looked.stdout).toMatch(/Message message-\S+ holds results of calls that nobody made \(call_0\)/);
    expect(looked.stdout).toMatch(/Message message-\S+ makes calls that have no result \(call_1\)/);
    expect(looked.stdout).toMatch(/Message message-\S+ is empty/);
    expect(looked.stdout).toContain("3 things to mend.");
    expect((await doctor(agent.id)).stdout).toBe(looked.stdout);

    const mended = await doctor(agent.id, "--fix");
    expect([mended.status, mended.stdout]).toEqual([0, expect.stringContaining("3 things mended.")]);
    expect((await doctor(agent.id)).stdout).toContain("Everything is in order.");
  },
);

test("doctor refuses an agent or a database that is not there, and makes neither", async (context) => {
  const database = await createDatabase("sqlite", context);
  const nowhere = await runMemoir(["doctor", "agent-1", "--fix", "--database", database]);
  expect([nowhere.status, nowhere.stderr]).toEqual([1, expect.stringContaining("there is no database at")]);
  const memoir = new Memoir({ database, encryptionKey: testEncryptionKey });
  await memoir.start();
  await memoir.close();
  const nobody = await runMemoir(["doctor", "Nobody", "--database", database]);
  expect([nobody.status, nobody.stderr]).toEqual([
    1,
    expect.stringContaining('there is no agent with the id or name "Nobody"'),
  ]);
});

test.for(dialects)("%s: a running server repairs an agent over HTTP", async (dialect, context) => {
  const database = await createDatabase(dialect, context);
  const { url, memoir, errors } = await startServer(dialect, context, { core: { database } });
  const { agent } = await memoir.agents.create(memoir.defaultActor, { model: "memoir/demo" });
  await breakAgent(database, agent.id);
  const repair = async (body?: object) => {
    const response = await fetch(`${url}/v1/memoir/agents/${agent.id}/repair`, {
      method: "POST",
      ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
    return (await response.json()) as any;
  };
  const looked = await repair();
  expect(looked).toMatchObject({ agent_id: agent.id, dry_run: true, fixed: false });
  expect(looked.findings.map(({ kind }: { kind: string }) => kind)).toEqual([
    "empty-message",
    "orphan-result",
    "unanswered-call",
  ]);
  expect(looked.remaining).toEqual(looked.findings);
  const mended = await repair({ dry_run: false });
  expect(mended).toMatchObject({ dry_run: false, fixed: true, remaining: [] });
  expect((await repair({ dry_run: true })).findings).toEqual([]);
  expect(errors).toEqual([]);
});

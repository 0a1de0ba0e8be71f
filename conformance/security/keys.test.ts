/** `memoir keys` as an operator uses it, beside a running server. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { runMemoir, startServerProcess } from "../support/server.ts";

test.for(dialects)(
  "%s: a key made on the command line opens a running server until it is revoked",
  async (dialect, context) => {
    const server = await startServerProcess(dialect, context, { env: { MEMOIR_PASSWORD: "open sesame" } });
    const { database } = server;
    const keys = (...words: string[]) => runMemoir(["keys", ...words, "--database", database]);
    expect((await keys("list")).stdout).toContain("There are no keys.");
    const made = await keys("create", "laptop", "--role", "reader", "--days", "3");
    const secret = made.stdout.split("\n")[0] ?? "";
    expect(secret).toMatch(/^mk-/);
    const list = () => fetch(`${server.url}/v1/agents/`, { headers: { authorization: `Bearer ${secret}` } });
    expect((await list()).status).toBe(200);
    const listed = (await keys("list")).stdout;
    expect(listed).toContain("laptop  (reader, until ");
    expect(listed).not.toContain(secret);
    const id = /key-[0-9a-f-]+/.exec(listed)?.[0] ?? "";
    expect((await keys("revoke", id)).stdout).toContain("Revoked: ");
    expect((await list()).status).toBe(401);
    const agent = await fetch(`${server.url}/v1/agents/`, {
      method: "POST",
      headers: { authorization: "Bearer open sesame", "content-type": "application/json" },
      body: JSON.stringify({ model: "memoir/demo" }),
    });
    const { id: agentId } = (await agent.json()) as { id: string };
    expect((await keys("create", "bot", "--agent", agentId)).stdout).toContain(
      `bot  (member, for ${agentId}, never used)`,
    );
    const studio = await keys("create", "studio", "--agent", agentId, "--allow-overrides");
    expect(studio.stdout).toContain(`studio  (member, for ${agentId}, may override, never used)`);
    for (const [words, reason] of [
      [["create"], "give the key a name"],
      [["create", "x", "--role", "king"], "role must be one of owner, member, reader"],
      [["revoke", "key-nobody"], "does not exist"],
      [["sing"], 'there is no "keys sing"'],
    ] as const) {
      const refused = await keys(...words);
      expect(refused.status).toBe(1);
      expect(refused.stderr).toContain(reason);
    }
  },
);

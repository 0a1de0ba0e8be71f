import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createVault, type Vault } from "../../secrets/vault.ts";
import { dialects, testEncryptionKey } from "../../testing/databases.ts";
import { startJsonServer } from "../../testing/json-server.ts";
import { openWorld, type World } from "../../testing/worlds.ts";
import { reEncryptSecrets } from "./re-encrypt-secrets.ts";
import { rotateSecrets } from "./rotate-secrets.ts";

const newKey = "the key from now on";

describe.for(dialects)("%s: changing the key", (dialect) => {
  test("seals every secret anew, a batch at a time, and goes on where it was cut off", async (context) => {
    const world = await openWorld(dialect, context);
    const { agent } = await world.createAgent({ secrets: numbered(7) });
    const vault = createVault(() => [newKey, testEncryptionKey]);
    const stopping = new AbortController();
    let count = 0;
    const cut: Vault = {
      ...vault,
      encrypt: (text, place) => {
        if (++count === 4) stopping.abort(new Error("kill"));
        return vault.encrypt(text, place);
      },
    };
    const begun = reEncryptSecrets({ store: world.store, vault: cut, batchSize: 3, signal: stopping.signal });
    await expect(begun).rejects.toThrow("kill");
    const halfway = new Map(await countKeys(world));
    expect([halfway.get(vault.keyId()), halfway.get(createVault(testEncryptionKey).keyId())]).toEqual([6, 1]);
    // Whoever knows both keys reads all of them meanwhile.
    const both = await world.openAnother({ encryptionKey: testEncryptionKey, formerKeys: [newKey] });
    expect(valuesOf(await both.agents.get(world.actor, agent.id))).toEqual(numbered(7));
    await both.close();
    const report = await reEncryptSecrets({ store: world.store, vault, batchSize: 3 });
    expect(report).toMatchObject({ unreadable: [] });
    expect(await countKeys(world)).toEqual([[vault.keyId(), 7]]);
    const after = await world.openAnother({ encryptionKey: newKey });
    expect(valuesOf(await after.agents.get(world.actor, agent.id))).toEqual(numbered(7));
    await expect(world.openAnother()).rejects.toMatchObject({ code: "unavailable" });
  });

  test("happens by itself when a server starts with the new key and the old one", async (context) => {
    const world = await openWorld(dialect, context);
    const { agent } = await world.createAgent({ secrets: { TOKEN: "s3cret" } });
    const server = await world.openAnother({ encryptionKey: newKey, formerKeys: [testEncryptionKey] });
    expect(valuesOf(await server.agents.get(world.actor, agent.id))).toEqual({ TOKEN: "s3cret" });
    await expect.poll(() => countKeys(world)).toEqual([[createVault(newKey).keyId(), 1]]);
    await server.close();
    await world.openAnother({ encryptionKey: newKey });
  });

  test("leaves alone what does not open, and says which it is", async (context) => {
    const world = await openWorld(dialect, context);
    const { secrets } = await world.createAgent({ secrets: { A: "first", B: "second" } });
    const [moved] = secrets;
    await world.store.write(world.actor.orgId, async (scope) => {
      await scope
        .update("secret")
        .set({ name: "C" })
        .where("id", "=", moved?.id ?? "")
        .execute();
    });
    const options = { database: world.database, encryptionKey: newKey, formerKeys: [testEncryptionKey] };
    expect(await rotateSecrets(options)).toEqual({ sealed: 1, unreadable: [moved?.id], keyFile: undefined });
    expect(await rotateSecrets(options)).toMatchObject({ sealed: 0 });
  });

  test("is refused without the key that opens them, and nothing is changed", async (context) => {
    const world = await openWorld(dialect, context);
    await world.createAgent({ secrets: { A: "first" } });
    const before = await countKeys(world);
    await expect(rotateSecrets({ database: world.database, encryptionKey: newKey })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("MEMOIR_ENCRYPTION_KEY_OLD"),
    });
    expect(await countKeys(world)).toEqual(before);
  });
});

test("sqlite: nothing that is secret stands in the file, whoever it belongs to, and all of it gets the new key", async (context) => {
  const server = await startJsonServer(() => ({ body: { data: [] } }));
  const world = await openWorld("sqlite", context, { traceDays: 0 });
  const { memoir, actor } = world;
  const secret = "s3cret-all-over";
  await world.createAgent({ secrets: { TOKEN: secret } });
  const config = await memoir.sandboxConfigs.ensure(actor, "local", {});
  await memoir.sandboxConfigs.addVariable(actor, config.id, { name: "TOKEN", value: secret, description: null });
  await memoir.providers.create(actor, {
    name: "mine",
    type: "openai",
    apiKey: secret,
    baseUrl: `${server.origin}/v1`,
  });
  const url = "https://api.example.com/mcp";
  const mcp = { name: "mcp", transport: "streamable_http", url, token: secret, headers: { "X-Team": secret } } as const;
  await memoir.mcpServers.create(actor, mcp);
  const template = {
    name: "weather",
    description: "Weather.",
    method: "GET",
    url: "https://api.example.com/",
  } as const;
  await memoir.restTools.save(actor, { template, credentials: { headers: { "X-Api-Key": secret } } });
  await memoir.close();
  for (const name of readdirSync(dirname(world.database))) {
    if (!name.startsWith(basename(world.database))) continue;
    expect(readFileSync(join(dirname(world.database), name)).includes(secret), name).toBe(false);
  }
  const report = await rotateSecrets({
    database: world.database,
    encryptionKey: newKey,
    formerKeys: [testEncryptionKey],
  });
  expect(report).toMatchObject({ sealed: 6, unreadable: [] });
});

test("sqlite: the key file gets a new key, which a running server takes up by itself", async (context) => {
  const world = await openWorld("sqlite", context, { encryptionKey: undefined });
  const { agent } = await world.createAgent({ secrets: { TOKEN: "s3cret" } });
  const keyFile = `${world.database}.key`;
  const former = readFileSync(keyFile, "utf8");
  expect(await rotateSecrets({ database: world.database })).toEqual({ sealed: 1, unreadable: [], keyFile });
  expect(readFileSync(keyFile, "utf8")).toMatch(new RegExp(`^\\S{44}\n${former.trim().replaceAll("+", "\\+")}\n$`));
  expect(valuesOf(await world.memoir.agents.get(world.actor, agent.id))).toEqual({ TOKEN: "s3cret" });
  const late = await world.createAgent({ secrets: { LATE: "later" } });
  expect(await countKeys(world)).toHaveLength(1);
  const again = await world.openAnother();
  expect(valuesOf(await again.agents.get(world.actor, late.agent.id))).toEqual({ LATE: "later" });
});

function numbered(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`NAME_${index}`, `value ${index}`]));
}

function valuesOf({ secrets }: { readonly secrets: readonly { readonly name: string; readonly value: string }[] }) {
  return Object.fromEntries(secrets.map(({ name, value }) => [name, value]));
}

/** How many secrets each key has sealed. */
async function countKeys({ scope }: World): Promise<[string, number][]> {
  const rows = await scope.select("secret").select("key_id").execute();
  return [...Map.groupBy(rows, ({ key_id }) => key_id)].map(([keyId, some]) => [keyId, some.length]);
}

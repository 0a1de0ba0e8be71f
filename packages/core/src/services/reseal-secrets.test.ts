import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { dialects, testEncryptionKey } from "../testing/databases.ts";
import { openWorld, type World } from "../testing/worlds.ts";
import { createVault } from "../vault.ts";
import { resealSecrets } from "./reseal-secrets.ts";
import { rotateSecrets } from "./rotate-secrets.ts";

const newKey = "the key from now on";

describe.for(dialects)("%s: changing the key", (dialect) => {
  test("seals every secret anew, a batch at a time, and goes on where it was cut off", async (context) => {
    const world = await openWorld(dialect, context);
    const { agent } = await world.createAgent({ secrets: numbered(7) });
    const vault = createVault(() => [newKey, testEncryptionKey]);
    const stopping = new AbortController();
    const cut = { ...vault, seal: (text: string, place: string) => sealAndStop(text, place) };
    const sealAndStop: typeof vault.seal = (text, place) => {
      if (text === "value 5") stopping.abort(new Error("kill"));
      return vault.seal(text, place);
    };
    const begun = resealSecrets({ store: world.store, vault: cut, batchSize: 3, signal: stopping.signal });
    await expect(begun).rejects.toThrow("kill");
    const halfway = await countKeys(world);
    expect(halfway).toHaveLength(2);
    // Whoever knows both keys reads all of them meanwhile.
    const both = await world.openAnother({ encryptionKey: testEncryptionKey, formerKeys: [newKey] });
    expect(valuesOf(await both.agents.get(world.actor, agent.id))).toEqual(numbered(7));
    await both.close();
    const report = await resealSecrets({ store: world.store, vault, batchSize: 3 });
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

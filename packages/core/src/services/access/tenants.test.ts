import { describe, expect, test } from "vitest";
import { defaultOrgId, defaultUserId } from "../../shared/ids.ts";
import { dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";

const unknown = (prefix: string) => `${prefix}-00000000-0000-4000-8000-00000000dead`;

describe.for(dialects)("%s", (dialect) => {
  test("a new organization has users of its own, the base tools, and nothing of others", async (context) => {
    const { memoir, createAgent } = await openWorld(dialect, context);
    await createAgent({ name: "Ours" });
    const org = await memoir.tenants.createOrganization("acme");
    const user = await memoir.tenants.createUser({ name: "Ada", orgId: org.id });
    expect(user).toMatchObject({ name: "Ada", orgId: org.id });
    const actor = await memoir.findActor(user.id);
    expect(actor).toEqual({ orgId: org.id, userId: user.id });
    const theirs = await memoir.agents.create(actor ?? memoir.defaultActor, { model: "memoir/demo" });
    expect(theirs.tools.length).toBeGreaterThan(0);
    expect(new Set(theirs.tools.map(({ createdBy }) => createdBy))).toEqual(new Set([user.id]));
    expect(await memoir.agents.count(actor ?? memoir.defaultActor)).toBe(1);
    expect((await memoir.tenants.renameOrganization(org.id, "Acme")).name).toBe("Acme");
    expect((await memoir.tenants.renameUser(user.id, "Ada L.")).name).toBe("Ada L.");
  });

  test("organizations and users page, oldest first", async (context) => {
    const { memoir } = await openWorld(dialect, context);
    const made = [defaultOrgId];
    for (const name of ["a", "b", "c"]) made.push((await memoir.tenants.createOrganization(name)).id);
    const [first, second] = [
      await memoir.tenants.listOrganizations({ limit: 2 }),
      await memoir.tenants.listOrganizations({ limit: 5, after: made[1] ?? "" }),
    ];
    expect([...first, ...second].map(({ id }) => id)).toEqual(made);
    const { id } = await memoir.tenants.createUser({ name: "u" });
    expect((await memoir.tenants.listUsers({ limit: 5 })).map((user) => user.id)).toEqual([defaultUserId, id]);
    expect((await memoir.tenants.listUsers({ limit: 5, after: defaultUserId })).map((user) => user.id)).toEqual([id]);
    await expect(memoir.tenants.listUsers({ limit: 5, after: unknown("user") })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  test("an organization goes with everything it owns; the default one stays", async (context) => {
    const { memoir, store } = await openWorld(dialect, context);
    const { id: orgId } = await memoir.tenants.createOrganization("acme");
    const { id: userId } = await memoir.tenants.createUser({ name: "Ada", orgId });
    const actor = { orgId, userId };
    const { agent } = await memoir.agents.create(actor, { model: "memoir/demo", sleeptime: true, secrets: { A: "b" } });
    await memoir.folders.create(actor, { name: "docs" });
    await memoir.tenants.deleteOrganization(orgId);
    for (const table of ["agent", "group", "folder", "secret", "tool", "user"] as const) {
      expect(await store.read(orgId).select(table).selectAll().execute(), table).toEqual([]);
    }
    expect(await memoir.findActor(userId)).toBeUndefined();
    await expect(memoir.agents.get(actor, agent.id)).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.tenants.deleteOrganization(orgId)).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.tenants.deleteOrganization(defaultOrgId)).rejects.toMatchObject({ code: "conflict" });
    await expect(memoir.tenants.deleteUser(defaultUserId)).rejects.toMatchObject({ code: "conflict" });
    const guest = await memoir.tenants.createUser({ name: "Guest" });
    await memoir.tenants.deleteUser(guest.id);
    expect(await memoir.findActor(guest.id)).toBeUndefined();
    await expect(memoir.tenants.createUser({ name: "x", orgId: unknown("org") })).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(memoir.tenants.createUser({ name: " " })).rejects.toMatchObject({ code: "invalid-input" });
  });
});

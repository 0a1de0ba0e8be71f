import { describe, expect, test } from "vitest";
import { dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

const asc = { limit: 50, order: "asc" } as const;

describe.for(dialects)("%s", (dialect) => {
  test("an organization has one set of settings for each kind of sandbox", async (context) => {
    const { memoir, actor } = await openWorld(dialect, context);
    const first = await memoir.sandboxConfigs.ensure(actor, "local", { use_venv: false });
    expect(await memoir.sandboxConfigs.ensure(actor, "local", { use_venv: true })).toEqual(first);
    const put = await memoir.sandboxConfigs.put(actor, "local", { use_venv: true, venv_name: "v" });
    expect(put).toMatchObject({ id: first.id, settings: { use_venv: true, venv_name: "v" } });
    const changed = await memoir.sandboxConfigs.update(actor, first.id, { venv_name: "w" });
    expect(changed.settings).toEqual({ use_venv: true, venv_name: "w" });
    await memoir.sandboxConfigs.put(actor, "e2b", { timeout: 5 });
    expect((await memoir.sandboxConfigs.list(actor, asc)).map(({ kind }) => kind)).toEqual(["local", "e2b"]);
    await memoir.sandboxConfigs.delete(actor, first.id);
    await expect(memoir.sandboxConfigs.get(actor, first.id)).rejects.toMatchObject({ code: "not-found" });
  });

  test("variables are sealed, changed, renamed and gone with their sandbox", async (context) => {
    const world = await openWorld(dialect, context);
    const { memoir, actor, scope } = world;
    const { id } = await memoir.sandboxConfigs.ensure(actor, "local", {});
    const variable = await memoir.sandboxConfigs.addVariable(actor, id, {
      name: "KEY",
      value: "s3cret",
      description: null,
    });
    expect(variable).toMatchObject({ configId: id, name: "KEY", value: "s3cret" });
    const [row] = await scope.select("secret").selectAll("secret").execute();
    expect(Buffer.from(row?.ciphertext ?? []).toString("latin1")).not.toContain("s3cret");
    const again = { name: "KEY", value: "x", description: null };
    await expect(memoir.sandboxConfigs.addVariable(actor, id, again)).rejects.toMatchObject({ code: "conflict" });
    const changed = await memoir.sandboxConfigs.updateVariable(actor, variable.id, { name: "TOKEN", description: "d" });
    expect(changed).toMatchObject({ id: variable.id, name: "TOKEN", value: "s3cret", description: "d" });
    expect(await memoir.sandboxConfigs.listVariables(actor, id)).toEqual([changed]);
    const neighbour = await openNeighbour(world);
    const others = neighbour.memoir.sandboxConfigs;
    await expect(others.listVariables(neighbour.actor, id)).rejects.toMatchObject({ code: "not-found" });
    await expect(others.updateVariable(neighbour.actor, variable.id, { value: "" })).rejects.toMatchObject({
      code: "not-found",
    });
    const { secrets } = await world.createAgent({ secrets: { A: "b" } });
    await expect(memoir.sandboxConfigs.deleteVariable(actor, secrets[0]?.id ?? "")).rejects.toMatchObject({
      code: "not-found",
    });
    await memoir.sandboxConfigs.delete(actor, id);
    expect(await scope.select("secret").select("name").execute()).toEqual([{ name: "A" }]);
  });

  test("what was made together is listed together and deleted together", async (context) => {
    const { memoir, actor, createAgent } = await openWorld(dialect, context);
    const origin = { templateId: "t", baseTemplateId: "b", deploymentId: "d" };
    const { agent } = await createAgent({ ...origin, entityId: "e", name: "Deployed" });
    const [block] = await memoir.blocks.createAll(actor, [{ label: "plan", value: "", ...origin, entityId: "f" }]);
    const settings = { kind: "supervisor", managerAgentId: agent.id } as const;
    const group = await memoir.groups.create(actor, { agentIds: [], description: "g", settings, ...origin });
    const other = await createAgent({ name: "Other" });
    const listed = await memoir.deployments.list(actor, "d");
    expect(listed.map(({ kind, id, name, entityId }) => [kind, id, name, entityId])).toEqual([
      ["block", block?.id, "plan", "f"],
      ["agent", agent.id, "Deployed", "e"],
      ["group", group.id, null, null],
    ]);
    expect(await memoir.deployments.list(actor, "d", ["agent"])).toHaveLength(1);
    expect(await memoir.deployments.delete(actor, "d")).toEqual(listed);
    expect(await memoir.deployments.list(actor, "d")).toEqual([]);
    expect((await memoir.agents.get(actor, other.agent.id)).agent.name).toBe("Other");
    await expect(memoir.agents.get(actor, agent.id)).rejects.toMatchObject({ code: "not-found" });
  });
});

/** What no published client calls: templates, sandboxes, administration, and the old server's own pages. By plain HTTP. */
import { defaultOrgId, defaultUserId } from "@memoir/core";
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { startServer, type TestServerOptions } from "../support/server.ts";

const unknownId = "00000000-0000-4000-8000-00000000dead";
// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Answer = { status: number; body: any };

async function connect(dialect: DialectName, context: TestContext, options: TestServerOptions = {}) {
  const { url, memoir, errors } = await startServer(dialect, context, options);
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? null : JSON.parse(text) } as Answer;
  };
  return { ask, memoir, errors };
}

describe.for(dialects)("%s", (dialect) => {
  test("what a template describes is made with its ids, listed together and deleted together", async (context) => {
    const { ask } = await connect(dialect, context);
    const origin = { template_id: "t", base_template_id: "b", deployment_id: "d" };
    const agent = await ask("POST", "_internal_templates/agents", { ...origin, entity_id: "e", model: "memoir/demo" });
    expect(agent.body).toMatchObject({ ...origin, entity_id: "e", agent_type: "letta_v1_agent" });
    const input = { ...origin, entity_id: "f", label: "plan", value: "v" };
    const block = await ask("POST", "_internal_templates/blocks", input);
    expect(block.body).toMatchObject(input);
    const batch = await ask("POST", "_internal_templates/blocks/batch", [input, { ...input, label: "other" }]);
    expect(batch.body).toHaveLength(2);
    const tooLong = { ...input, value: "12345", limit: 3 };
    expect((await ask("POST", "_internal_templates/blocks/batch", [input, tooLong])).status).toBe(422);
    const group = await ask("POST", "_internal_templates/groups", {
      ...origin,
      agent_ids: [agent.body.id],
      description: "g",
      manager_config: { manager_type: "supervisor", manager_agent_id: agent.body.id },
    });
    expect(group.body).toMatchObject({ ...origin, manager_type: "supervisor" });
    const listed = await ask("GET", "_internal_templates/deployment/d");
    expect(listed.body).toMatchObject({ total_count: 5, deployment_id: "d" });
    const agents = await ask("GET", "_internal_templates/deployment/d?entity_types=agent");
    expect(agents.body.entities).toMatchObject([{ id: agent.body.id, type: "agent", entity_id: "e" }]);
    const deleted = await ask("DELETE", "_internal_templates/deployment/d");
    expect(deleted.body).toMatchObject({ deleted_agents: [agent.body.id], deleted_groups: [group.body.id] });
    expect(deleted.body.deleted_blocks).toHaveLength(3);
    expect((await ask("GET", "_internal_templates/deployment/d")).body.total_count).toBe(0);
    expect((await ask("POST", "_internal_templates/agents", { model: "memoir/demo" })).status).toBe(422);
  });

  test("internal paths to agents and blocks do what the public ones do", async (context) => {
    const { ask } = await connect(dialect, context);
    const { body: agent } = await ask("POST", "agents/", {
      model: "memoir/demo",
      memory_blocks: [{ label: "human", value: "v" }],
    });
    await ask("POST", "agents/", { model: "memoir/demo", hidden: true });
    expect((await ask("GET", "_internal_agents/count")).body).toBe(1);
    expect((await ask("GET", "_internal_agents/count?exclude_hidden=false")).body).toBe(2);
    const path = `_internal_agents/${agent.id}/core-memory/blocks/human`;
    expect((await ask("PATCH", path, { value: "Ada" })).body.value).toBe("Ada");
    const { body: block } = await ask("POST", "_internal_blocks/", { label: "plan", value: "v" });
    expect((await ask("GET", "_internal_blocks/?label=plan")).body).toEqual([block]);
    const held = agent.blocks[0].id;
    expect((await ask("GET", `_internal_blocks/${held}/agents`)).body).toMatchObject([{ id: agent.id }]);
    expect(await ask("DELETE", `_internal_blocks/${block.id}`)).toEqual({ status: 200, body: null });
    expect((await ask("DELETE", `_internal_blocks/${block.id}`)).status).toBe(404);
    expect((await ask("POST", "_internal_search/cache-warm", { collection: "messages" })).status).toBe(202);
    const capture = { provider: "openai", model: "m", request_messages: [], response_dict: {} };
    expect((await ask("POST", `agents/${agent.id}/messages/capture`, capture)).status).toBe(501);
    expect((await ask("POST", "tools/generate-tool", { tool_name: "t", prompt: "p" })).status).toBe(501);
    const sent = await ask("POST", `agents/${agent.id}/messages`, { input: "hello" });
    const step = sent.body.messages[0].step_id;
    expect((await ask("PATCH", `steps/${step}/transaction/tx-1`)).body).toMatchObject({ id: step, tid: "tx-1" });
    expect((await ask("PATCH", `steps/step-${unknownId}/transaction/tx-1`)).status).toBe(404);
  });

  test("sandboxes have settings and variables", async (context) => {
    const { ask } = await connect(dialect, context);
    const usual = { sandbox_dir: null, use_venv: false, venv_name: "venv", pip_requirements: [] };
    const { body: local } = await ask("POST", "sandbox-config/local/default");
    expect(local).toMatchObject({ type: "local", organization_id: defaultOrgId, config: usual });
    expect((await ask("POST", "sandbox-config/e2b/default")).body).toMatchObject({
      type: "e2b",
      config: { timeout: 300 },
    });
    const custom = await ask("POST", "sandbox-config/local", { use_venv: true });
    expect(custom.body).toMatchObject({ id: local.id, config: { ...usual, use_venv: true } });
    const modal = await ask("POST", "sandbox-config/", { config: { language: "typescript" } });
    expect(modal.body).toMatchObject({ type: "modal", config: { language: "typescript", timeout: 60 } });
    const changed = await ask("PATCH", `sandbox-config/${local.id}`, { config: { venv_name: "v" } });
    expect(changed.body.config).toEqual({ ...usual, use_venv: true, venv_name: "v" });
    expect((await ask("PATCH", `sandbox-config/${local.id}`, { config: { timeout: 5 } })).status).toBe(422);
    const types = async (query = "") =>
      (await ask("GET", `sandbox-config/${query}`)).body.map(({ type }: { type: string }) => type);
    expect(await types()).toEqual(["local", "e2b", "modal"]);
    expect(await types(`?limit=1&after=${local.id}`)).toEqual(["e2b"]);
    expect((await ask("POST", "sandbox-config/local/recreate-venv")).body).toMatchObject({ id: local.id });
    const variables = `sandbox-config/${local.id}/environment-variable`;
    const { body: variable } = await ask("POST", variables, { key: "KEY", value: "v" });
    expect(variable).toMatchObject({ key: "KEY", value: "v", value_enc: null, sandbox_config_id: local.id });
    expect((await ask("POST", variables, { key: "KEY", value: "w" })).status).toBe(409);
    const one = `sandbox-config/environment-variable/${variable.id}`;
    expect((await ask("PATCH", one, { value: "w" })).body).toMatchObject({ key: "KEY", value: "w" });
    expect((await ask("GET", variables)).body).toMatchObject([{ id: variable.id, value: "********" }]);
    expect((await ask("GET", `${variables}?after=${variable.id}`)).body).toEqual([]);
    expect(await ask("DELETE", one)).toEqual({ status: 204, body: null });
    expect((await ask("DELETE", one)).status).toBe(404);
    expect(await ask("DELETE", `sandbox-config/${local.id}`)).toEqual({ status: 204, body: null });
    expect((await ask("GET", variables)).status).toBe(404);
  });

  test("organizations and users are made, named, listed and deleted", async (context) => {
    const { ask } = await connect(dialect, context);
    const { body: org } = await ask("POST", "admin/orgs/", { name: "acme" });
    expect(org).toMatchObject({ name: "acme", privileged_tools: false });
    const { body: user } = await ask("POST", "admin/users/", { name: "Ada", organization_id: org.id });
    expect(user).toMatchObject({ name: "Ada", organization_id: org.id, is_deleted: false });
    expect((await ask("PATCH", `admin/orgs/?org_id=${org.id}`, { name: "Acme" })).body.name).toBe("Acme");
    expect((await ask("PUT", "admin/users/", { id: user.id, name: "Ada L." })).body.name).toBe("Ada L.");
    expect((await ask("PUT", "admin/users/", { id: user.id, organization_id: defaultOrgId })).status).toBe(400);
    const names = async (path: string) => (await ask("GET", path)).body.map(({ name }: { name: string }) => name);
    expect(await names("admin/orgs/")).toEqual(["default_org", "Acme"]);
    expect(await names(`admin/users/?after=${defaultUserId}&limit=1`)).toEqual(["Ada L."]);
    const as = { user_id: user.id };
    await ask("POST", "agents/", { model: "memoir/demo", name: "Hers" }, as);
    expect((await ask("GET", "agents/", undefined, as)).body).toMatchObject([{ name: "Hers" }]);
    expect((await ask("GET", "agents/")).body).toEqual([]);
    expect((await ask("DELETE", `admin/users/?user_id=${defaultUserId}`)).status).toBe(409);
    expect((await ask("DELETE", `admin/users/?user_id=${user.id}`)).body).toMatchObject({ is_deleted: true });
    expect((await ask("DELETE", `admin/orgs/?org_id=${org.id}`)).body.id).toBe(org.id);
    expect((await ask("DELETE", `admin/orgs/?org_id=${org.id}`)).status).toBe(404);
    expect((await ask("DELETE", "admin/orgs/?org_id=acme")).status).toBe(422);
    expect((await ask("POST", "admin/orgs/", { privileged_tools: true })).status).toBe(400);
  });
});

test("a password is confirmed to those who know it, and administration needs it", async (context) => {
  const { ask, memoir } = await connect("sqlite", context, { password: "open sesame" });
  const uuid = defaultUserId.slice("user-".length);
  expect(await ask("POST", "auth", { password: "open sesame" })).toEqual({
    status: 200,
    body: { uuid, is_admin: true },
  });
  expect((await ask("POST", "auth", { password: "sesame" })).status).toBe(401);
  expect((await ask("POST", "auth")).status).toBe(401);
  expect((await ask("GET", "admin/orgs/")).status).toBe(401);
  const { secret } = await memoir.keys.create(memoir.defaultActor, { name: "k", role: "owner" });
  expect((await ask("GET", "admin/orgs/", undefined, { authorization: `Bearer ${secret}` })).status).toBe(403);
  const member = await memoir.keys.create(memoir.defaultActor, { name: "m", role: "member" });
  const asMember = { authorization: `Bearer ${member.secret}` };
  expect((await ask("GET", "folders/", undefined, asMember)).status).toBe(200);
  expect((await ask("GET", "sandbox-config/", undefined, asMember)).status).toBe(403);
  const { body } = await ask("GET", "admin/orgs/", undefined, { authorization: "Bearer open sesame" });
  expect(body).toHaveLength(1);
});

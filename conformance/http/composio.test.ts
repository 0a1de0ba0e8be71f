/** Actions of Composio: the package of its makers against a script that speaks its format. Composio itself takes no part. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, type TestContext, test } from "vitest";
import { callTool, say, scripted } from "../../packages/core/src/model/scripted.ts";
import { insertMissingTools, type Tool } from "../../packages/core/src/store/tools/tools.ts";
import {
  fail,
  refuse,
  type ScriptedActions,
  startScriptedComposio,
  succeed,
} from "../../packages/core/src/testing/scripted-composio.ts";
import { openWorld } from "../../packages/core/src/testing/worlds.ts";
import type { ComposioPackage } from "../../packages/core/src/tools/composio/composio-package.ts";
import type { ComposioAccess } from "../../packages/core/src/tools/composio/run-action.ts";
import { loadForeign } from "../support/foreign-modules.ts";

const name = "github_star_a_repository";
const action = "GITHUB_STAR_A_REPOSITORY";
const serverKey = "ak_of_the_server";
const star = { owner: "ada", repo: "engine" };

/** As files of the old server have them, with what its loop added to their schemas. */
function makeTool(changes: Partial<Tool> = {}): Tool {
  const text = { type: "string" };
  const parameters = {
    type: "object",
    properties: { owner: text, repo: text, request_heartbeat: { type: "boolean" } },
    required: ["owner", "repo", "request_heartbeat"],
  };
  return {
    ...{ id: "tool-composio", name, kind: "composio", description: "Stars a repository.", sourceKind: "python" },
    ...{ source: `def ${name}(**kwargs):\n    raise RuntimeError("never")`, argsSchema: null, tags: ["composio"] },
    jsonSchema: { name, description: "Stars a repository.", parameters },
    ...{ returnCharLimit: 6_000, pipRequirements: null, npmRequirements: null, needsApproval: null, isParallel: false },
    ...{ metadata: null, projectId: null, createdAt: 1, updatedAt: 1, createdBy: null, updatedBy: null },
    ...changes,
  };
}

interface Given {
  readonly actions?: ScriptedActions["actions"];
  readonly access?: Partial<ComposioAccess>;
  readonly tool?: Partial<Tool>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly args?: Readonly<Record<string, string>>;
}

async function open(context: TestContext, input: Given = {}) {
  const composio = await startScriptedComposio({
    keys: [serverKey, "ak_of_the_agent", "ak_of_the_organization"],
    actions: input.actions ?? { [action]: ({ arguments: args }) => succeed({ starred: args }) },
  });
  const load = () => loadForeign<ComposioPackage>(context, "@composio", "core", "dist", "index.mjs");
  const model = scripted([callTool(name, input.args ?? star, { id: "call_a" }), say("Done.")]);
  const access = { apiKey: serverKey, baseUrl: composio.origin, load, ...input.access };
  const world = await openWorld("sqlite", context, { models: { get: () => model }, composio: access });
  const { memoir, actor, store } = world;
  await store.write(actor.orgId, (scope) => insertMissingTools(scope, [makeTool(input.tool)]));
  const { agent } = await memoir.agents.create(actor, {
    ...{ model: "openai/gpt-4o-mini", tools: [name], includeBaseTools: false },
    ...(input.secrets ? { secrets: input.secrets } : {}),
  });
  const send = () =>
    memoir.messages.send(actor, agent.id, {
      messages: [{ role: "user", content: [{ type: "text", text: "star it" }] }],
    });
  /** What the model was told. */
  const call = async () => {
    const { messages } = await memoir.messages.complete(actor, (await send()).id);
    return messages
      .flatMap(({ toolReturns }) => toolReturns ?? [])
      .map(({ status, output }) => ({ status, output }))[0];
  };
  return { ...world, agent, composio, send, call };
}

test("an action runs at Composio, for the usual entity, with the arguments and nothing else", async (context) => {
  const { call, composio, memoir, actor, agent } = await open(context);
  expect(await call()).toEqual({ status: "success", output: JSON.stringify({ starred: star }) });
  expect(composio.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET /api/v3.1/tools/${action}?toolkit_versions=latest`,
    `POST /api/v3.1/tools/execute/${action}`,
  ]);
  expect(composio.requests.map(({ headers }) => headers["x-api-key"])).toEqual([serverKey, serverKey]);
  expect(composio.requests[1]?.body).toEqual({ arguments: star, user_id: "default", version: "latest" });
  const byHand = await memoir.agentTools.run(actor, agent.id, name, { ...star, request_heartbeat: true });
  expect(byHand).toEqual({ status: "success", output: { starred: star } });
});

test("keys and entities of the organization count before the server's, those of the agent before both", async (context) => {
  const access = { entity: "everyone" };
  const world = await open(context, { access, secrets: { COMPOSIO_ENTITY: "ada" } });
  const { memoir, actor, agent, composio } = world;
  const config = await memoir.sandboxConfigs.ensure(actor, "local", {});
  const variable = { name: "COMPOSIO_API_KEY", value: "ak_of_the_organization", description: null };
  await memoir.sandboxConfigs.addVariable(actor, config.id, variable);
  const run = async () => {
    await memoir.agentTools.run(actor, agent.id, name, star);
    const last = composio.requests.at(-1);
    return [last?.headers["x-api-key"], last?.body.user_id];
  };
  expect(await run()).toEqual(["ak_of_the_organization", "ada"]);
  await memoir.agents.update(actor, agent.id, { secrets: { COMPOSIO_API_KEY: "ak_of_the_agent" } });
  expect(await run()).toEqual(["ak_of_the_agent", "everyone"]);
});

test("what cannot be run is a result that says why, and shows no key", async (context) => {
  const actions = {
    [action]: () => refuse(400, "ActionExecute_ConnectedAccountNotFound", "No connected account found for default"),
    BROKEN: () => fail(`the repository is gone (${serverKey})`),
  };
  const outcome = async (input: Given) => {
    const { call, composio } = await open(context, { actions, ...input });
    return [(await call())?.output, composio.requests.filter(({ method }) => method === "POST").length];
  };
  const refused = `Composio did not run ${action} for "default":`;
  expect(await outcome({})).toEqual([`${refused} No connected account found for default`, 1]);
  expect(await outcome({ actions: {} })).toEqual([`${refused} Tool ${action} not found`, 0]);
  expect(await outcome({ access: { apiKey: "ak_of_nobody" } })).toEqual([`${refused} Invalid API key: [key]`, 0]);
  const pasted = { COMPOSIO_API_KEY: "ak_of_nobody\n" };
  expect(await outcome({ secrets: pasted })).toEqual([`${refused} Invalid API key: [key]`, 0]);
  const broken = { source: 'composio_toolset.execute_action(action="BROKEN", params=kwargs)' };
  expect(await outcome({ tool: broken })).toEqual([
    'Composio did not run BROKEN for "default": the repository is gone ([key])',
    1,
  ]);
  expect(await outcome({ access: { apiKey: "" } })).toEqual([
    expect.stringMatching(/no key for it: set COMPOSIO_API_KEY on the server, or give this agent a secret/),
    0,
  ]);
  expect(await outcome({ args: { owner: "ada" } })).toEqual([expect.stringContaining("repo"), 0]);
  expect(await outcome({ tool: { kind: "langchain" } })).toEqual([
    expect.stringContaining("is a tool of LangChain"),
    0,
  ]);
});

test("long results are cut, and a key that comes back is hidden", async (context) => {
  const actions = { [action]: () => succeed({ echo: serverKey, text: "x".repeat(1_000) }) };
  const { call } = await open(context, { actions, tool: { returnCharLimit: 100 } });
  const { output } = (await call()) ?? { output: "" };
  expect(output).toMatch(/^\{"echo":"\[secret COMPOSIO_API_KEY\]","text":"x+\.\.\. \[NOTE/);
});

test("cancelling a run hangs up on the action", async (context) => {
  const { send, memoir, actor, composio } = await open(context, { actions: { [action]: () => new Promise(() => {}) } });
  const run = await send();
  while (composio.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  await memoir.runs.cancel(actor, run.id);
  expect((await memoir.runs.get(actor, run.id)).status).toBe("cancelled");
  while (composio.hungUp() === 0) await new Promise((resolve) => setTimeout(resolve, 2));
});

test("without the package a call says how to get it", async () => {
  const file = join(import.meta.dirname, "../../packages/core/src/tools/composio/run-action.ts");
  // As Node sees it: what transforms sources for tests knows packages that are not there.
  const code = `import { runAction } from ${JSON.stringify(file)};
    const signal = new AbortController().signal;
    await runAction({}, { action: "A", args: {}, apiKey: "k", entity: "e", signal })
      .catch((error) => process.stdout.write(error.name + ": " + error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);
  expect(stdout).toMatch(/^ToolFailure: .*install it beside, with npm install @composio\/core@0\.19$/);
});

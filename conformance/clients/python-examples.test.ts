/**
 * Scripts written for older Python clients, run with memoir_client (clients/python): our own examples, and those of the
 * old server's documentation, in which only the lines that import the client are replaced. The latter are not part of the
 * project: they lie in ../shared, beside the checkout.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { hasShared, needsShared, sharedPath } from "../../packages/core/src/testing/shared.ts";
import { ROOT } from "../../scripts/install.cjs";
import { startDirectedModels } from "../support/directed-models.ts";
import { type Ended, makeEmptyFolder, runOutside } from "../support/outside.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { findPython, whyMissing } from "../support/services.ts";

const layer = join(ROOT, "clients", "python");
const examples = join(layer, "examples");
const oldExamples = sharedPath("python-examples");
const runner = join(import.meta.dirname, "python", "run_examples.py");
/** Scripts may leave files behind. */
const folder = makeEmptyFolder("python-examples");

test.for(["1.12.1", "1.12.0"])(
  "memoir_client adds older names to letta-client %s and leaves the rest",
  async (version, context) => {
    const words = ["-m", "unittest", "discover", "-s", join(layer, "tests")];
    const { status, stderr } = await runPython(context, version, words);
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/^Ran (2[5-9]|[3-9]\d) tests/m);
  },
);

const printedByOwn = {
  "agent_files.py": "True traveller_copy ['Name: Ada']\n",
  "agent_kinds.py": "react_agent True\nworkflow_agent False\nmemgpt_v2_agent False\n['convert_to_celsius']\n",
  "archival_memory.py":
    "called archival_memory_insert\nThat is in the archive now.\n" +
    'called archival_memory_search\nI found 1 entry in the archive: "the spare key hangs behind the clock"\n',
  "asynchronous.py": "['Name: Ada']\nYour name is Ada.\n",
  "basic_agent.py": "gardener has human, persona\nTrue\n",
  "conversation_search.py":
    "['conversation_search']\nI found 1 entry in what we have said: \"The boiler hums at night.\"\n",
  "memory.py": "human: Drinks tea. (11 of 100000)\npersona: I am brief. (11 of 100000)\n",
  "messages.py":
    "Also: tool_call_message None\nAlso: tool_return_message tool\nAnswer: I have noted it: Name: Samira.\n" +
    "Asked: My name is Samira.\n",
  "shared_block.py": "human: Name: Grace\nopen_tasks: 1. Paint the fence\n",
  "streaming.py": "in several pieces: True\nYour name is Ada.\n",
};

test("the examples of memoir_client print what they promise", async (context) => {
  const server = await startServer("sqlite", context);
  const names = readdirSync(examples).filter((name) => name.endsWith(".py"));
  expect(await runExamples(context, server, ["apart", ...names.map((name) => join(examples, name))])).toEqual(
    printedByOwn,
  );
});

/** What each of the old examples prints. The later ones go on with the agent of the first, or of 08. */
const printedByOld = {
  "01-creating-a-basic-agent.py": /^Agent created: agent-\S+\n$/,
  "02-sending-messages.py": /^Assistant: You said: Hello!.+\n$/,
  "03-inspecting-agent-memory.py":
    /^(\n(persona|human):\n {2}Value: .+\n {2}Limit: 100000 chars\n {2}Current: \d+ chars\n){2}$/,
  "04-manual-memory-management.py": /^$/,
  "05-archival-memory-usage.py": /^$/,
  "06-conversation-search.py": /^$/,
  "08-custom-memory-blocks.py": /^$/,
  "09-multi-agent-shared-memory.py": /^$/,
  // The end of a run has no number, so it is told once more after the last numbered event.
  "11-long-running-operations-with-streaming.py":
    /^LettaPing\(.+\n(AssistantMessage\(.+\n)+((LettaStopReason|LettaUsageStatistics)\(.+\n){4}$/,
  "12-agent-serialization-and-migration.py": /^Agent migrated: agent-\S+\n$/,
  "14-custom-agent-types.py": /^$/,
};

/** These wait for what they are about. */
const waiting: Readonly<Record<string, string>> = {
  "07-attaching-files-and-folders.py": "uploaded files are not read yet",
  "10-sleep-time-agents.py": "an agent can be made so, but its companion does not work yet",
  "13-model-context-protocol-mcp-integration.py": "nothing connects to MCP servers yet",
};

test("the examples of the old documentation run with another import line", async (context) => {
  if (!hasShared) return context.skip(needsShared);
  const { providers } = await startDirectedModels({ direct });
  const server = await startServer("sqlite", context, { core: { providers } });
  const { url } = server;
  // No server ships these: whoever ran the examples had made them before.
  for (const name of ["calculator", "send_email", "create_ticket"]) await createTool(url, name);
  const names = readdirSync(oldExamples).filter((name) => name.endsWith(".py"));
  expect(names.toSorted()).toEqual([...Object.keys(printedByOld), ...Object.keys(waiting)].toSorted());
  const scripts = Object.keys(printedByOld).map((name) => join(oldExamples, name));
  const printed = await runExamples(context, server, ["together", ...scripts]);
  for (const [name, form] of Object.entries(printedByOld)) expect(printed[name], name).toMatch(form);
  await checkEffects(url, printed);
});

/** What those that print nothing have done. */
async function checkEffects(url: string, printed: Readonly<Record<string, string>>): Promise<void> {
  const [first] = /agent-\S+/.exec(printed["01-creating-a-basic-agent.py"] ?? "") ?? [];
  const human = await ask(url, `agents/${first}/core-memory/blocks/human`);
  expect(human.value).toContain("concise");
  const passages = await ask(url, `agents/${first}/archival-memory`);
  expect(passages.map(({ text }: Named) => text)).toEqual(["Prefers tabs."]);
  const messages = await ask(url, `agents/${first}/messages`);
  const returned = messages.filter((message: Named) => message.message_type === "tool_return_message");
  expect(returned.map(({ name, status }: Named) => `${name}: ${status}`).toSorted()).toEqual([
    "archival_memory_insert: success",
    "conversation_search: success",
  ]);
  const [shared] = await ask(url, "blocks/?label=project_status");
  expect(await ask(url, `blocks/${shared.id}/agents`)).toHaveLength(2);
  const agents = await ask(url, "agents/?include=agent.tools&include=agent.blocks&order=asc");
  const [migrated] = /agent-\S+/.exec(printed["12-agent-serialization-and-migration.py"] ?? "") ?? [];
  const copied = agents.find(({ id }: Named) => id === migrated);
  const labels = copied.blocks.map(({ label }: Named) => label).toSorted();
  expect(labels).toEqual(["active_projects", "human", "persona", "team_members"]);
  const kinds = agents.slice(-3).map(({ agent_type, tools }: { agent_type: string; tools: Named[] }) => {
    const own = tools.filter(({ name }) => /^(web_search|calculator|send_email|create_ticket)$/.test(`${name}`));
    return [agent_type, ...own.map(({ name }) => name).toSorted()].join(" ");
  });
  expect(kinds).toEqual([
    "react_agent calculator web_search",
    "workflow_agent create_ticket send_email",
    "memgpt_v2_agent",
  ]);
}

type Named = Readonly<Record<string, unknown>>;

/** The tools their comments say an agent would use. */
function direct(text: string): string | undefined {
  if (text.startsWith("Remember")) return '!tool archival_memory_insert {"content":"Prefers tabs."}\n!say Noted.';
  if (text.includes("error handling")) return '!tool conversation_search {"query":"error handling"}\n!say Nothing.';
  return undefined;
}

/** What each script printed, by name. Their server is named by the environment alone, beside a key that means nothing. */
async function runExamples(
  context: TestContext,
  { url, errors }: TestServer,
  words: readonly string[],
): Promise<Record<string, string>> {
  const env = { LETTA_BASE_URL: url, LETTA_API_KEY: "sk-let-nothing" };
  const { status, stdout, stderr } = await runPython(context, "1.12.1", [runner, ...words], env);
  expect(status, `${stderr}\n${errors.join("\n")}`).toBe(0);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

async function runPython(
  context: TestContext,
  version: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const python = findPython(`letta-${version}`);
  if (!python) return context.skip(whyMissing(`letta-${version}`));
  const clean = { PYTHONPATH: layer, PYTHONDONTWRITEBYTECODE: "1", ...env };
  return await runOutside(python, [...words], { cwd: folder, env: clean });
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into it
async function ask(url: string, path: string, body?: object): Promise<any> {
  const sent = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await fetch(`${url}/v1/${path}`, sent);
  expect(answer.status, path).toBe(200);
  return await answer.json();
}

async function createTool(url: string, name: string): Promise<void> {
  const text = `"""Stands for a tool of one's own.\n\n    Args:\n        text (str): What for.\n    """`;
  await ask(url, "tools/", { source_code: `def ${name}(text: str) -> str:\n    ${text}\n    return text\n` });
}

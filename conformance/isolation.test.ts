/**
 * Every operation there is, asked by everyone who should not be answered: another organization, a reader, nobody, an expired
 * key, a key of another agent, and with ids of the wrong kind. What they must not see carries a mark.
 */
import { type Actor, defaultOrgId, type Memoir } from "@memoir/core";
import { listRoutes } from "@memoir/server";
import { expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { startServer } from "./server.ts";

const mark = "XYZZY-4711";
const nobody = "00000000-0000-4000-8000-00000000dead";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly access: string;
}

function listOperations(memoir: Memoir): Operation[] {
  return listRoutes({ memoir, findProviders: async () => [] }).map(({ method, path, access }) => ({
    method,
    path,
    access,
  }));
}

/** Whatever an operation can name, in an organization that has it. */
async function fillOrganization(memoir: Memoir, actor: Actor): Promise<Record<string, string>> {
  const { agent, blocks } = await memoir.agents.create(actor, {
    name: mark,
    model: "memoir/demo",
    system: mark,
    description: mark,
    tags: [mark],
    blocks: [{ label: "human", value: mark }],
  });
  const identity = await memoir.identities.create(actor, { identifierKey: mark, name: mark, kind: "user" });
  const { conversation } = await memoir.conversations.create(actor, agent.id, { title: mark });
  const run = await memoir.messages.send(actor, agent.id, {
    messages: [{ role: "user", content: [{ type: "text", text: mark }] }],
  });
  const { messages } = await memoir.messages.complete(actor, run.id);
  const { tools } = await memoir.agents.get(actor, agent.id, new Set(["tools"] as const));
  const folder = await memoir.folders.create(actor, { name: "shelf", description: mark });
  const group = await memoir.groups.create(actor, { agentIds: [agent.id], description: mark });
  const server = await memoir.mcpServers.create(actor, {
    name: "shelf",
    transport: "sse",
    url: "https://mcp.example.com/sse",
    token: mark,
  });
  const sandbox = await memoir.sandboxConfigs.ensure(actor, "local", { venv_name: mark });
  const given = { name: mark, value: mark, description: mark };
  const variable = await memoir.sandboxConfigs.addVariable(actor, sandbox.id, given);
  return {
    folder_id: folder.id,
    source_id: folder.id,
    folder_name: "shelf",
    source_name: "shelf",
    group_id: group.id,
    mcp_server_id: server.id,
    mcp_server_name: "shelf",
    sandbox_config_id: sandbox.id,
    environment_variable_id: variable.id,
    agent_id: agent.id,
    block_id: blocks?.[0]?.id ?? "",
    block_label: "human",
    identity_id: identity.id,
    conversation_id: conversation.id,
    run_id: run.id,
    step_id: messages[0]?.stepId ?? "",
    message_id: messages[0]?.id ?? "",
    tool_id: tools?.[0]?.id ?? "",
    version: "1",
    key_id: (await memoir.keys.create(actor, { name: mark })).key.id,
  };
}

const prefixes: Readonly<Record<string, string>> = {
  source_id: "source",
  folder_id: "source",
  archive_id: "archive",
  passage_id: "passage",
  memory_id: "passage",
  file_id: "file",
  group_id: "group",
  mcp_server_id: "mcp_server",
  provider_id: "provider",
  batch_id: "job",
  job_id: "job",
};

function fill(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `${prefixes[name] ?? name}-${nobody}`);
}

test.for(dialects)(
  "%s: nobody sees or changes what is not theirs, whichever operation they try",
  { timeout: 300_000 },
  async (dialect, context) => {
    const { url, memoir, errors } = await startServer(dialect, context, { needsKey: true });
    const owner = memoir.defaultActor;
    const { id: orgId } = await memoir.tenants.createOrganization("elsewhere");
    const { id: userId } = await memoir.tenants.createUser({ name: "stranger", orgId });
    const stranger: Actor = { orgId, userId };
    const soon = Date.now() + 500;
    const expired = await memoir.keys.create(owner, { name: "expired", expiresAt: soon * 1000 });
    const own = await fillOrganization(memoir, owner);
    const other = await memoir.agents.create(owner, { model: "memoir/demo", name: "Other" });
    const callers = {
      nobody: undefined,
      expired: expired.secret,
      "another organization": (await memoir.keys.create(stranger, { name: "stranger", role: "owner" })).secret,
      reader: (await memoir.keys.create(owner, { name: "reader", role: "reader" })).secret,
      "another agent": (await memoir.keys.create(owner, { name: "bot", agentId: other.agent.id })).secret,
    };
    while (Date.now() <= soon) await new Promise((resolve) => setTimeout(resolve, 10));
    const ask = async (secret: string | undefined, { method, path }: Operation, ids: Record<string, string>) => {
      const answer = await fetch(url + fill(path, ids), {
        method,
        headers: {
          ...(secret ? { authorization: `Bearer ${secret}` } : {}),
          ...(method === "GET" ? {} : { "content-type": "application/json" }),
        },
        ...(method === "GET" ? {} : { body: "{}" }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const operations = listOperations(memoir);
    expect(operations.length).toBeGreaterThan(80);
    const before = await takeStock(memoir, owner, own);
    const leaks: string[] = [];
    for (const operation of operations) {
      const name = `${operation.method} ${operation.path}`;
      for (const [who, secret] of Object.entries(callers)) {
        if (operation.access === "open") continue;
        const { status, text } = await ask(secret, operation, own);
        const note = (problem: string) => leaks.push(`${who}: ${name}: ${problem} (${status} ${text.slice(0, 200)})`);
        if (status >= 500 && status !== 501) note("fails");
        if (who === "nobody" || who === "expired") {
          if (status !== 401) note("does not ask for a key");
        } else if (who === "reader") {
          if (operation.method !== "GET" && operation.access !== "read" && status !== 403) note("lets a reader write");
        } else {
          if (text.replaceAll(own.block_label ?? "", "").includes(mark)) note("shows what is not theirs");
          // Nothing is what is said of what is not there, too.
          if (status < 300 && text !== "null" && namesOne(operation.path)) note("answers as if it were theirs");
        }
      }
      const wrong = Object.fromEntries(Object.keys(own).map((key) => [key, `user-${nobody}`]));
      const { status, text } = await ask(callers["another organization"], operation, wrong);
      if (status >= 500 && status !== 501) leaks.push(`wrong ids: ${name}: ${status} ${text.slice(0, 200)}`);
    }
    expect(leaks).toEqual([]);
    expect(await takeStock(memoir, owner, own)).toEqual(before);
    expect(errors).toEqual([]);
  },
);

/** The operation is about something that was named, not about a list. */
function namesOne(path: string): boolean {
  return /\{(agent|block|identity|conversation|run|step|message|tool|key|folder|source|group|mcp_server|sandbox_config)_id\}/.test(
    path,
  );
}

async function takeStock(memoir: Memoir, actor: Actor, ids: Readonly<Record<string, string>>): Promise<unknown> {
  expect(actor.orgId).toBe(defaultOrgId);
  const view = await memoir.agents.get(
    actor,
    ids.agent_id ?? "",
    new Set(["blocks", "tools", "tags", "identities"] as const),
  );
  const identity = await memoir.identities.get(actor, ids.identity_id ?? "");
  const keys = (await memoir.keys.list(actor, { limit: 50, order: "asc" })).map(({ id, revokedAt }) => [id, revokedAt]);
  return { view, identity, keys };
}

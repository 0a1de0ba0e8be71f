/** The past of memory over HTTP: what was written, by whom, and how to get it back. */
import { expect, test } from "vitest";
import type { Model } from "../../packages/core/src/model/model.ts";
import { callTool, say, scripted } from "../../packages/core/src/model/scripted.ts";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startServer } from "../support/server.ts";

const only = (model: Model) => ({ get: () => model });

async function ask(url: string, method: string, path: string, body?: object) {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
  return { status: response.status, body: (await response.json()) as any };
}

test.for(dialects)(
  "%s: an agent's edit is traced to its message, compared, undone and found again",
  async (dialect, context) => {
    const rename = { label: "human", old_string: "unknown", new_string: "Ada" };
    const model = scripted([callTool("memory_replace", rename, { id: "call_7" }), say("Hello, Ada.")]);
    const { url, errors } = await startServer(dialect, context, { core: { models: only(model) } });
    const agent = await ask(url, "POST", "/agents/", {
      model: "openai/gpt-4o-mini",
      memory_blocks: [
        { label: "human", value: "Name: unknown\nFrom: Ghent" },
        { label: "persona", value: "Kind." },
      ],
    });
    const [human, persona] = agent.body.memory.blocks;
    const answer = await ask(url, "POST", `/agents/${agent.body.id}/messages`, { input: "I am Ada" });
    const call = answer.body.messages.find(
      ({ message_type }: { message_type: string }) => message_type === "tool_call_message",
    );
    const path = `/memoir/blocks/${human.id}`;

    const versions = await ask(url, "GET", `${path}/versions?include_value=true`);
    expect(versions.body.map((item: { version: number }) => item.version)).toEqual([2, 1]);
    expect(versions.body[0]).toMatchObject({
      value: "Name: Ada\nFrom: Ghent",
      cause: { kind: "tool", agent_id: agent.body.id, tool_call_id: "call_7", run_id: expect.stringMatching(/^run-/) },
    });
    const page = await ask(url, "GET", `${path}/versions?limit=1&order=asc&after=1`);
    expect(page.body).toMatchObject([{ version: 2, value: null }]);
    const first = await ask(url, "GET", `${path}/versions/1`);
    expect(first.body).toMatchObject({ value: "Name: unknown\nFrom: Ghent", cause: { kind: "api" } });

    const blame = await ask(url, "GET", `${path}/blame`);
    expect(blame.body.lines).toMatchObject([
      { line: 1, text: "Name: Ada", version: 2, message_id: call.id, cause: { tool_call_id: "call_7" } },
      { line: 2, text: "From: Ghent", version: 1, message_id: null },
    ]);
    expect(blame.body.lines[0].input_message_ids).toHaveLength(1);

    const diff = await ask(url, "GET", `${path}/diff?from=1&to=2`);
    expect(diff.body.text).toContain("-Name: unknown\n+Name: Ada");
    expect(diff.body.hunks[0]).toMatchObject({ old_start: 1, old_lines: 2, new_start: 1, new_lines: 2 });

    await ask(url, "PATCH", `/blocks/${persona.id}`, { value: "Rude." });
    const restore = `/memoir/agents/${agent.body.id}/restore-memory`;
    const trial = await ask(url, "POST", restore, { at: first.body.created_at, dry_run: true });
    expect(trial.body).toMatchObject({
      dry_run: true,
      blocks: [{ outcome: "restored", from_version: 1, version: 2 }, {}],
    });
    expect(trial.body.blocks[0].text).toContain("+Name: unknown");
    expect((await ask(url, "GET", `/blocks/${human.id}`)).body.value).toContain("Ada");
    const done = await ask(url, "POST", restore, { at: versions.body[1].created_at, labels: ["human"] });
    expect(done.body).toMatchObject({ dry_run: false, blocks: [{ label: "human", outcome: "restored", version: 3 }] });
    expect((await ask(url, "GET", `/blocks/${human.id}`)).body.value).toContain("unknown");
    expect((await ask(url, "GET", `/blocks/${persona.id}`)).body.value).toBe("Rude.");
    const newest = await ask(url, "GET", `${path}/versions?limit=1`);
    expect(newest.body[0].cause).toMatchObject({ kind: "restore", restored_version: 1 });

    const undone = await ask(url, "POST", `${path}/restore`, { version: 2, expected_version: 3 });
    expect(undone.body.blocks).toMatchObject([{ outcome: "restored", version: 4 }]);
    expect((await ask(url, "GET", `${path}/blame`)).body.lines[0]).toMatchObject({
      message_id: call.id,
      restored_in: 4,
    });
    // The second block was made a little later than the first.
    const at = (await ask(url, "GET", `/memoir/blocks/${persona.id}/versions/1`)).body.created_at;
    const several = await ask(url, "POST", "/memoir/blocks/restore", { block_ids: [human.id, persona.id], at });
    expect(several.body.blocks.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["restored", "restored"]);
    expect(errors).toEqual([]);
  },
);

test("what cannot be shown or restored is refused with its reason", async (context) => {
  const { url, errors } = await startServer("sqlite", context);
  const block = (await ask(url, "POST", "/blocks/", { label: "notes", value: "0123456789" })).body;
  await ask(url, "PATCH", `/blocks/${block.id}`, { value: "0", limit: 5 });
  const path = `/memoir/blocks/${block.id}`;
  const refusals: [number, string, string, object | undefined, RegExp][] = [
    [404, "GET", `${path}/versions/9`, undefined, /has no version 9; its newest is 2/],
    [404, "GET", `${path}/blame?version=9`, undefined, /has no version 9/],
    [404, "GET", `${path}/diff?from=9`, undefined, /has no version 9/],
    [422, "GET", `${path}/versions/zero`, undefined, /version/],
    [422, "GET", `${path}/versions?limit=0`, undefined, /limit/],
    [422, "GET", `${path}/versions?limit=500&include_value=true`, undefined, /at most 100 versions/],
    [422, "POST", `${path}/restore`, {}, /either a version or a moment/],
    [422, "POST", `${path}/restore`, { version: 1, at: "2026-01-01T00:00:00Z" }, /either a version or a moment/],
    [422, "POST", `${path}/restore`, { at: "yesterday" }, /valid datetime/],
    [422, "POST", `${path}/restore`, { at: "2001-01-01T00:00:00Z" }, /did not exist at that moment/],
    [400, "POST", `${path}/restore`, { version: 1 }, /has 10 characters, and the block's limit is 5 now/],
    [409, "POST", `${path}/restore`, { version: 1, expected_version: 1 }, /is at version 2, not 1/],
    [404, "POST", `${path}/restore`, { version: -4 }, /has no version -4/],
    [404, "GET", "/memoir/blocks/block-11111111-1111-4111-8111-111111111111/blame", undefined, /not found/],
  ];
  for (const [status, method, where, body, reason] of refusals) {
    const answer = await ask(url, method, where, body);
    expect([where, answer.status]).toEqual([where, status]);
    expect(JSON.stringify(answer.body)).toMatch(reason);
  }
  expect((await ask(url, "GET", `${path}/versions`)).body).toHaveLength(2);
  expect(errors).toEqual([]);
});

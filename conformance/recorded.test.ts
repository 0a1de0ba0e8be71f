/**
 * Replays what was recorded at the old server and compares answer by answer. Where we mean to differ, the table says so
 * and why; any other difference fails, and so does a line of the table that is no longer needed. The recordings are not
 * part of the project: they lie beside the checkout on our own machines only.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dialects } from "../packages/core/src/testing/databases.ts";
import { departures } from "./recorded-departures.ts";
import { hasRecordings, recordings, skipRecorded, tell } from "./recordings.ts";
import { startServer } from "./server.ts";
import { compareWire, type Difference, IdMap } from "./wire-difference.ts";

interface Sample {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
}

/** In the order they were recorded, for each stands on what the ones before it left. */
const samples = [
  "health",
  "tags-list-empty",
  "agent-create-default",
  "agent-create-minimal",
  "agent-create-memgpt-v2",
  "agent-create-memgpt",
  "agent-create-with-settings",
  "agent-create-anthropic",
  "agent-create-gpt5",
  "agent-create-sleeptime",
  "agent-retrieve",
  "agent-retrieve-include-none",
  "agent-retrieve-include-blocks",
  "agents-list",
  "agents-list-by-tag",
  "agents-list-by-name",
  "agents-count",
  "agent-update",
  "tags-list",
  "agent-core-memory",
  "error-404-agent",
  "error-malformed-agent-id",
  "error-404-block",
  "error-404-route",
  "error-405-method",
  "block-create-label-only",
  "error-unknown-model",
  "error-no-model",
  "error-bad-agent-name",
  "block-create-over-limit",
  "agent-create-duplicate-block-labels",
  "error-bad-limit",
  "block-create",
  "blocks-list",
  "blocks-count",
  "block-retrieve",
  "block-update",
  "block-update-over-limit",
  "block-attach",
  "block-attach-twice",
  "agent-blocks-list",
  "agent-block-by-label",
  "agent-block-update",
  "error-404-block-label",
  "block-agents",
  "block-detach",
  "block-delete",
  "identity-create",
  "error-409-identity-duplicate",
  "identity-upsert",
  "identities-list",
  "identity-attach",
  "agent-delete",
  "error-404-after-delete",
] as const;

/** Our clients by generation: what they send, and where their recordings lie. */
const callers = [
  { who: "a current client", place: "", headers: { "x-stainless-package-version": "1.12.1" } },
  { who: "plain HTTP", place: "plain-http", headers: { "user-agent": "curl/8.5.0" } },
] as const;

if (hasRecordings) {
  const used = new Set<number>();

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers", async (dialect, context) => {
      const { url } = await startServer(dialect, context);
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const name of samples) {
        const sample: Sample = JSON.parse(readFileSync(join(recordings, place, `${name}.json`), "utf8"));
        for (const difference of await replay(url, ids, sample, headers)) {
          const reason = departures.findIndex((departure) => isMeant(departure, name, difference));
          if (reason === -1) unexpected.push(tell(name, difference));
          else used.add(reason);
        }
      }
      expect(unexpected).toEqual([]);
    });
  });

  test("every departure in the table is still one", () => {
    expect(departures.filter((_, index) => !used.has(index))).toEqual([]);
  });
} else skipRecorded("agents, blocks and identities are as recorded");

async function replay(
  url: string,
  ids: IdMap,
  { request, response }: Sample,
  headers: Record<string, string>,
): Promise<Difference[]> {
  const { method, path, body } = request;
  const answer = await fetch(url + ids.translate(path), {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: body === undefined ? undefined : ids.translate(JSON.stringify(body)),
  });
  const ours = {
    status: answer.status,
    type: answer.headers.get("content-type")?.split(";")[0],
    body: (await answer.json()) as unknown,
  };
  const recorded = { status: response.status, type: response.headers["content-type"], body: response.body };
  // Two bodies that mean different things have nothing to compare.
  return recorded.status === ours.status
    ? compareWire(ids, recorded, ours)
    : [{ path: "status", recorded: recorded.status, ours: ours.status }];
}

function isMeant({ samples: where, path }: (typeof departures)[number], name: string, difference: Difference): boolean {
  return where.test(name) && path.test(difference.path);
}

test("a difference is seen wherever it is", () => {
  const uuid = (digit: number) => `${digit}0000000-0000-4000-8000-000000000000`;
  const recorded = { id: `agent-${uuid(1)}`, at: "2026-01-02T03:04:05.678901Z", list: [1, 2], note: null };
  const paths = (theirs: object, ours: object) => compareWire(new IdMap(), theirs, ours).map(({ path }) => path);
  expect(paths(recorded, { ...recorded, id: `agent-${uuid(2)}`, at: "2027-10-20T10:00:00.000000Z" })).toEqual([]);
  expect(paths(recorded, { ...recorded, id: `block-${uuid(1)}` })).toEqual(["id"]);
  expect(paths(recorded, { ...recorded, at: "2027-10-20T10:00:00Z" })).toEqual(["at"]);
  expect(paths(recorded, { ...recorded, list: [2, 1] })).toEqual(["list[0]", "list[1]"]);
  expect(paths(recorded, { ...recorded, list: [1] })).toEqual(["list.length"]);
  expect(paths(recorded, { ...recorded, note: "" })).toEqual(["note"]);
  expect(paths({ a: 1 }, { b: 1 })).toEqual(["a", "b"]);
  // The same recorded id must be the same id of ours in every place.
  const twice = { first: `agent-${uuid(1)}`, second: `agent-${uuid(1)}` };
  expect(paths(twice, { first: `agent-${uuid(2)}`, second: `agent-${uuid(3)}` })).toEqual(["second"]);
  const tools = (...names: string[]) => ({ tools: names.map((name) => ({ name })) });
  expect(paths(tools("a", "b"), tools("b", "c", "a"))).toEqual(["tools[c]", "tools.order"]);
});

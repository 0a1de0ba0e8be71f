/**
 * Replays what was recorded at the old server and compares answer by answer. Where we mean to differ, the table says so
 * and why; any other difference fails, and so does a line of the table that is no longer needed. The recordings are not
 * part of the project: they lie beside the checkout on our own machines only.
 */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startServer } from "../support/server.ts";
import { departures } from "./recorded-departures.ts";
import { samples } from "./recorded-samples.ts";
import {
  callers,
  createJudge,
  hasRecordings,
  readSample,
  type Sample,
  skipRecorded,
  testComplete,
} from "./recordings.ts";
import { compareWire, type Difference, IdMap } from "./wire-difference.ts";

if (hasRecordings) {
  const judged = createJudge(["agents"], departures);

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers", async (dialect, context) => {
      const { url } = await startServer(dialect, context);
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const name of samples.agents) {
        const sample = readSample(place, name);
        unexpected.push(...judged.judge(name, sample && (await replay(url, ids, sample, headers))));
      }
      expect(unexpected).toEqual([]);
    });
  });

  testComplete(judged);
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

test("a difference is seen wherever it is", () => {
  const uuid = (digit: number) => `${digit}0000000-0000-4000-8000-000000000000`;
  const recorded = { id: `agent-${uuid(1)}`, at: "2026-01-02T03:04:05.678901Z", list: [1, 2], note: null };
  const paths = (theirs: object, ours: object) => compareWire(new IdMap(), theirs, ours).map(({ path }) => path);
  expect(paths(recorded, { ...recorded, id: `agent-${uuid(2)}`, at: "2027-10-20T10:00:00.000000Z" })).toEqual([]);
  expect(paths(recorded, { ...recorded, id: `block-${uuid(1)}` })).toEqual(["id"]);
  expect(paths(recorded, { ...recorded, at: "2027-10-20T10:00:00Z" })).toEqual(["at"]);
  expect(paths(recorded, { ...recorded, list: [2, 1] })).toEqual(["list[0]", "list[1]"]);
  expect(paths({ tags: ["b", "a"] }, { tags: ["a", "b"] })).toEqual(["tags.order"]);
  expect(paths({ tags: ["b", "a"] }, { tags: ["a", "c"] })).toEqual(["tags[0]", "tags[1]"]);
  expect(paths(recorded, { ...recorded, list: [1] })).toEqual(["list.length"]);
  expect(paths(recorded, { ...recorded, note: "" })).toEqual(["note"]);
  expect(paths({ a: 1 }, { b: 1 })).toEqual(["a", "b"]);
  // The same recorded id must be the same id of ours in every place.
  const twice = { first: `agent-${uuid(1)}`, second: `agent-${uuid(1)}` };
  expect(paths(twice, { first: `agent-${uuid(2)}`, second: `agent-${uuid(3)}` })).toEqual(["second"]);
  const tools = (...names: string[]) => ({ tools: names.map((name) => ({ name })) });
  expect(paths(tools("a", "b"), tools("b", "c", "a"))).toEqual(["tools[c]", "tools.order"]);
});

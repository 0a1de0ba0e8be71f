/**
 * Walks the contract: every operation of the old server's API succeeds with a status the contract lists and an answer that
 * fits the schema the contract lists. What cannot succeed yet stands in `refusals`, and answers exactly that.
 */
import { defaultOrgId } from "@memoir/core";
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { contract, listOperations, type OpenApi } from "./walk/contract.ts";
import { judge } from "./walk/judge.ts";
import { refusals, requests } from "./walk/requests.ts";
import { compose, send, startWalkServer } from "./walk/send.ts";
import { createThings, type Tenant } from "./walk/things.ts";

const operations = listOperations(contract);

test.for(dialects)(
  "%s: every operation of the contract succeeds, with an answer that fits its schema",
  { timeout: 300_000 },
  async (dialect, context) => {
    const { url, errors, database, modelServer, gate } = await startWalkServer(dialect, context);
    const tenant: Tenant = { url, headers: {}, database, orgId: defaultOrgId, mark: "walk", modelServer };
    const problems: string[] = [];
    for (const listed of operations) {
      const things = createThings(tenant);
      const request = await compose(contract, listed, things);
      await requests[listed.name]?.before?.(things, tenant);
      const answer = await send(url, request);
      // A stream that was begun ends only once the model has spoken.
      if (listed.name === streamOfBusyRun) gate.open();
      const text = await answer.text();
      gate.close();
      const problem = judge(listed, answer, text);
      if (problem) problems.push(`${listed.name}: ${answer.status} ${problem}: ${text.slice(0, 300)}`);
    }
    expect(problems).toEqual([]);
    expect(errors).toEqual([]);
  },
);

const streamOfBusyRun = "POST /v1/conversations/{conversation_id}/stream";

test("every request and refusal of the walk is one of an operation there is", async (context) => {
  const { url } = await startWalkServer("sqlite", context);
  const served = listOperations((await (await fetch(`${url}/openapi.json`)).json()) as OpenApi).map(({ name }) => name);
  const known = new Set([...served, ...operations.map(({ name }) => name)]);
  expect([...Object.keys(requests), ...Object.keys(refusals)].filter((name) => !known.has(name))).toEqual([]);
  expect(operations).toHaveLength(224);
});

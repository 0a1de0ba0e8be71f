/** Requests are found again in the logs of a gateway: steps carry what it called them. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { allow, answering, mail, openApprovalWorld, say } from "../crash/approval-world.ts";

const named = (id: string) => ({ "x-api-request-log-id": id });

test.for(dialects)("%s: steps carry the id that a gateway gave their request", async (dialect, context) => {
  const { send, stream, ask, agentId } = await openApprovalWorld(dialect, context);
  const idsOf = async (runId: string): Promise<(string | null)[]> => {
    const { body } = await ask("GET", `/v1/runs/${runId}/steps?order=asc`);
    return body.map(({ request_id: id }: { request_id: string | null }) => id);
  };
  const first = (await send(say('!tool look_up {"text":"a"}\n!say Done.'), named("log-1"))).body.messages[0];
  expect(await idsOf(first.run_id)).toEqual(["log-1", "log-1"]);
  expect((await ask("GET", `/v1/steps/${first.step_id}`)).body.request_id).toBe("log-1");
  expect(await idsOf((await send(say("hello"))).body.messages[0].run_id)).toEqual([null]);

  // An answer to a question is a request of its own.
  const question = (await send(mail("hi"), named("log-2"))).body.messages[0];
  const done = await send(answering(allow(question.tool_call.tool_call_id)), named("log-3"));
  expect(await idsOf(question.run_id)).toEqual(["log-2"]);
  expect(await idsOf(done.body.messages[0].run_id)).toEqual(["log-3"]);

  const streamed = await stream(say("hello"), named("log-4"));
  expect(await idsOf(streamed[0]?.data.run_id)).toEqual(["log-4"]);
  await send(say("!fail 400"), named(`log-${"5".repeat(500)}`));
  const [failed] = (await ask("GET", `/v1/runs/?agent_id=${agentId}&limit=1`)).body;
  expect(await idsOf(failed.id)).toEqual([`log-${"5".repeat(196)}`]);
});

test("log probabilities and token ids are refused rather than left out", async (context) => {
  const { send, history } = await openApprovalWorld("sqlite", context);
  const listIds = async () => (await history()).map(({ id }) => id);
  const before = await listIds();
  for (const field of ["return_logprobs", "return_token_ids"]) {
    const { status, body } = await send({ ...say("hello"), [field]: true });
    expect([status, body.detail]).toEqual([501, expect.stringContaining(`${field} is not supported`)]);
  }
  expect(await listIds()).toEqual(before);
  expect((await send({ ...say("hello"), return_logprobs: false, top_logprobs: null })).status).toBe(200);
});

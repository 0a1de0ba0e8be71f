/**
 * Replays what was recorded of calls that wait for approval: answers, streams, refusals and the list of messages they
 * leave, with the tool run in the sandbox as it was there. The recordings lie on our own machines only.
 */
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { needSandbox } from "../../packages/core/src/testing/sandboxes.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";
import type { Departure } from "./recorded-departures.ts";
import { samples } from "./recorded-samples.ts";
import { callers, createJudge, hasRecordings, readSample, skipRecorded, testComplete } from "./recordings.ts";
import { type Replay, replaySample } from "./replaying.ts";
import { IdMap } from "./wire-difference.ts";

const denial = /^approval-deny$/;

const departures: readonly Departure[] = [
  {
    samples: /./,
    path: /(usage|\.data)\.(completion|prompt|total|context)_tokens$/,
    reason: "counts are those of the recording's model and prompt",
  },
  { samples: /^approval-messages-list$/, path: /^body\[0\]\.content$/, reason: "prompts are our own words" },
  {
    samples: denial,
    path: /^body\.(messages\.length|stop_reason\.stop_reason|usage\.(step_count|\w+_tokens))$/,
    reason: "a denial that names the message is taken as well; there it was lost, and the call waited on (10.6)",
  },
];

interface ListedItem {
  readonly id: string;
  readonly message_type: string;
  readonly tool_call?: { readonly tool_call_id: string };
}

if (hasRecordings) {
  const judged = createJudge(["approvals", "denial"], departures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers while a call waits", async (dialect, context) => {
      const replay = await openReplay(dialect, context, place, headers);
      const unexpected: string[] = [];
      for (const name of samples.approvals) {
        if (name === "*") await askAgain(replay);
        else unexpected.push(...judge(name, await replaySample(replay, name)));
      }
      expect(unexpected).toEqual([]);
    });

    test("is heard when it denies a call", async (context) => {
      const replay = await openReplay("sqlite", context, place, headers);
      await askAgain(replay);
      const differences = await replaySample(replay, "approval-deny");
      expect(judge("approval-deny", differences)).toEqual([]);
      expect(differences).toContainEqual({
        path: "body.stop_reason.stop_reason",
        recorded: "invalid_tool_call",
        ours: "end_turn",
      });
    });
  });

  testComplete(judged);
} else skipRecorded("approvals are as recorded");

/** The tool and the agent of the recording; how that agent was made was not kept. */
async function openReplay(
  dialect: DialectName,
  context: TestContext,
  place: string,
  headers: Readonly<Record<string, string>>,
): Promise<Replay> {
  await needSandbox(context);
  const callIds: string[] = [];
  const { providers } = await startDirectedModels({ callIds });
  const { url } = await startServer(dialect, context, { core: { providers } });
  const replay = { url, ids: new IdMap(), callIds, place, headers };
  await replaySample(replay, "tool-create-requires-approval");
  const body = { model: "openai/gpt-4o-mini", tools: ["guarded_roll"], include_base_tools: false };
  const { id } = await post<{ id: string }>(`${url}/v1/agents/`, body);
  const recorded = /agent-[0-9a-f-]{36}/.exec(readSample(place, "approval-request")?.request.path ?? "")?.[0] ?? "";
  expect(replay.ids.matches(recorded, id)).toBe(true);
  return replay;
}

/** The same request once more; what came of it is known from the list. */
async function askAgain({ url, ids, callIds, place }: Replay): Promise<void> {
  const { request } = readSample(place, "approval-request") ?? {};
  const list = readSample(place, "approval-messages-list")?.response.body as ListedItem[];
  const recorded = list.findLast(({ message_type: type }) => type === "approval_request_message");
  callIds.splice(0, callIds.length, recorded?.tool_call?.tool_call_id ?? "");
  const { messages } = await post<{ messages: ListedItem[] }>(url + ids.translate(request?.path ?? ""), request?.body);
  expect(ids.matches(recorded?.id ?? "", messages[0]?.id ?? "")).toBe(true);
}

async function post<Answer>(url: string, body: unknown): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

/**
 * Replays the second set of recordings, as far as the records exist: folders, groups and MCP servers that are not
 * connected. One caller made them, a current client. The recordings lie on our own machines only.
 */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";
import { departures as agentDepartures, type Departure } from "./recorded-departures.ts";
import { samples } from "./recorded-samples.ts";
import { callers, createJudge, hasRecordings, readSample, skipRecorded, testComplete } from "./recordings.ts";
import { replaySample } from "./replaying.ts";
import { IdMap } from "./wire-difference.ts";

const own: readonly Departure[] = [
  // Meant.
  {
    samples: /^folders-metadata(-detailed)?$/,
    path: /^status$/,
    reason: "the route works; there it is hidden by the one for a single folder",
  },
  { samples: /^job-of-file$/, path: /^status$/, reason: "uploads are waited for under the id of their file" },
  {
    samples: /^agent-folder-attach-again$/,
    path: /^status$/,
    reason: "a folder can be attached again; there the detached files are in the way (wire-more/INDEX)",
  },
  {
    samples: /^mcp-server/,
    path: /\b(auth_token|env\.GIVEN)$/,
    reason: "credentials are encrypted, and shown as stars",
  },
  {
    samples: /^mcp-server-(create-duplicate-name|retrieve-deleted)$/,
    path: /^body\.detail$/,
    reason: "no SQL and no records of the database in answers (fixtures/wire/README)",
  },
  {
    samples: /^sleeptime-(agent-create|switch-off)$/,
    path: /^body\.(tools|tool_rules)\[(\w+:)?(send_message|memory_(insert|replace))\]$/,
    reason: "while its partner does not run, a sleep-time agent edits its memory itself and answers in plain text",
  },
  {
    samples: /^(agent-create-with-folder|files-|folder-|source-|mcp-server|sleeptime-)/,
    path: /\.keys$/,
    reason: "the order of the fields of a record means nothing in JSON",
  },

  // The recording's own circumstances.
  {
    samples: /^agent-create-with-folder$/,
    path: /^body\.memory\.file_blocks\[/,
    reason: "in the recording files were uploaded to the folder before",
  },
  {
    samples: /^mcp-server/,
    path: /\bcommand$/,
    reason: "the path of the program was cut out of the recorded answers, and not of the requests",
  },
  {
    samples: /^sleeptime-switch-off$/,
    path: /^body\.(message_ids\.length|last_stop_reason|\w+_group\.(turns_counter|last_processed_message_id))$/,
    reason: "in the recording messages were sent to the agent in between",
  },
];

const place = "../wire-more";

if (hasRecordings) {
  const judged = createJudge(["more"], own, agentDepartures);

  test.for(dialects)("%s: folders, groups and MCP servers are as recorded", async (dialect, context) => {
    const { providers } = await startDirectedModels();
    const { url } = await startServer(dialect, context, { core: { providers, mcpPrograms: true } });
    const replay = { url, ids: new IdMap(), callIds: [], place, headers: callers[0].headers };
    await createMembers(url, replay.ids);
    const unexpected: string[] = [];
    for (const name of samples.more) unexpected.push(...judged.judge(name, await replaySample(replay, name)));
    expect(unexpected).toEqual([]);
  });

  testComplete(judged);
} else skipRecorded("folders, groups and MCP servers of the second set are as recorded");

/** The agents of the recorded groups; how they were made was not kept. */
async function createMembers(url: string, ids: IdMap): Promise<void> {
  const { request } = readSample(place, "group-create-dynamic-two") ?? {};
  for (const recorded of new Set(JSON.stringify(request).match(/agent-[0-9a-f-]{36}/g))) {
    const answer = await fetch(`${url}/v1/agents/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "openai/gpt-4o-mini" }),
    });
    expect(ids.matches(recorded, ((await answer.json()) as { id: string }).id)).toBe(true);
  }
}

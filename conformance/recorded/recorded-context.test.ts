/**
 * Replays what was recorded of the overview of a context and of its compaction, as recorded-messages.test.ts does with
 * messages. The recordings lie on our own machines only.
 */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";
import type { Departure } from "./recorded-departures.ts";
import { isCompared, samples } from "./recorded-samples.ts";
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

const ofTool = "(content\\[0\\]\\.text|tool_returns\\[0\\]\\.(func_response|stderr\\[0\\]))";

const departures: readonly Departure[] = [
  // Words.
  {
    samples: /overview/,
    path: /^body\.(system_prompt|core_memory|external_memory_summary|messages\[0\]\.content\[0\]\.text)$/,
    reason: "prompts are our own words",
  },
  {
    samples: /overview/,
    path: /^body\.functions_definitions\[.*description$/,
    reason: "tools are described in our own words",
  },
  {
    samples: /overview-used$/,
    path: new RegExp(`^body\\.messages\\[(15|19|23|26)\\]\\.${ofTool}$`),
    reason: "tools report in our own words, and search results are ranked by full text",
  },
  { samples: /^agent-summarize$/, path: /^body\.summary$/, reason: "the recording's model had nothing to say" },
  {
    samples: /^messages-list-after/,
    path: /^body\[\d\]\.content$/,
    reason: "the envelope of a summary is in our own words, and holds one",
  },

  // Meant.
  {
    samples: /overview/,
    path: /^body\.(context_window_size_current|num_tokens_\w+)$/,
    reason: "counted by a tokenizer, not by bytes, and of our own words",
  },
  {
    samples: /overview/,
    path: /^body\.functions_definitions\[archival_memory_(insert|search)\]$/,
    reason: "chat agents have the archival tools (18.19)",
  },
];

if (hasRecordings) {
  const judged = createJudge(["context"], departures);
  const { judge } = judged;

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers about contexts", async (dialect, context) => {
      const callIds: string[] = [];
      const { providers } = await startDirectedModels({ callIds });
      const { url } = await startServer(dialect, context, { core: { providers } });
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const sample of samples.context) {
        const name = sample.replace("*", "");
        const recorded = readSample(place, name);
        if (!recorded) continue;
        callIds.splice(0, callIds.length, ...findCallIds(recorded));
        const differences = await replay(url, ids, recorded, headers);
        if (isCompared(sample)) unexpected.push(...judge(sample, differences));
      }
      expect(unexpected).toEqual([]);
    });
  });

  testComplete(judged);
} else skipRecorded("context is as recorded");

/** The model gives its calls the names they were recorded with. */
function findCallIds({ response }: Sample): string[] {
  return [...new Set(JSON.stringify(response.body ?? "").match(/\bcall_[0-9a-z]{12,}/g) ?? [])];
}

async function replay(
  url: string,
  ids: IdMap,
  { request, response }: Sample,
  headers: Record<string, string>,
): Promise<Difference[]> {
  const { method, path, body } = request;
  const text = body && JSON.stringify(path.endsWith("/messages") ? { ...body, streaming: false } : body);
  const answer = await fetch(url + ids.translate(path), {
    method,
    headers: text === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: text && ids.translate(text),
  });
  const ours = {
    status: answer.status,
    type: answer.headers.get("content-type")?.split(";")[0],
    body: comparable(await answer.json()),
  };
  const recorded = {
    status: response.status,
    type: response.headers["content-type"],
    body: comparable(structuredClone(response.body ?? null)),
  };
  return recorded.status === ours.status
    ? compareWire(ids, recorded, ours)
    : [{ path: "status", recorded: recorded.status, ours: ours.status }];
}

interface Comparable {
  functions_definitions?: { function: { name: string } }[];
  messages?: { otid: string | null }[];
}

/** Tools by their names, whatever their order; otids and the times inside texts are made up. */
function comparable(body: unknown): unknown {
  const { functions_definitions: tools = [], messages = [] } = (body ?? {}) as Comparable;
  for (const tool of tools) Object.assign(tool, { name: tool.function.name });
  for (const item of Array.isArray(body) ? body : messages) item.otid = item.otid === null ? null : "made up";
  return JSON.parse(JSON.stringify(body).replaceAll(/(\\"time\\": \\")[^\\"]+/g, "$1now"));
}

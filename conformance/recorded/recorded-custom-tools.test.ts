/** Tool returns of tools with a source, beside what was recorded of them. The recordings lie on our own machines only. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { needSandbox } from "../../packages/core/src/testing/sandboxes.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";
import { samples } from "./recorded-samples.ts";
import { callers, createJudge, hasRecordings, readSample, skipRecorded, testComplete } from "./recordings.ts";
import { compareWire, IdMap } from "./wire-difference.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Ids and times are those of the moment; the lines of a traceback those of the source that was sent. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const moment = /^(id|date|otid|step_id|run_id|tool_call_id)$/;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (moment.test(name)) return [name, typeof item];
      const isTrace = name === "stderr" && Array.isArray(item);
      return [name, isTrace ? item.map((text) => String(text).trim().split("\n").at(-1)) : comparable(item)];
    }),
  );
}

const returnsOf = (body: unknown) =>
  (body as { messages: Fields[] }).messages
    .filter((item) => item.message_type === "tool_return_message")
    .map(comparable);

if (hasRecordings) {
  const judged = createJudge(["customTools"], []);

  test.for(dialects)(
    "%s: an agent's call of a tool with a source is answered as recorded",
    async (dialect, context) => {
      await needSandbox(context);
      const { providers } = await startDirectedModels();
      const { url } = await startServer(dialect, context, { core: { providers } });
      const ask = async (path: string, body: object): Promise<Fields> => {
        const headers = { "content-type": "application/json" };
        return (await (
          await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })
        ).json()) as Fields;
      };
      const { place } = callers[0] ?? { place: "" };
      const sources = ["tool-run-source", "tool-run-source-error"].map((name) => readSample(place, name)?.request.body);
      const ids: string[] = [];
      for (const body of sources)
        ids.push(String((await ask("/v1/tools/", { source_code: (body as Fields).source_code })).id));
      const agent = await ask("/v1/agents/", { model: "openai/gpt-4o-mini", tool_ids: ids });
      for (const name of samples.customTools) {
        const recorded = readSample(place, name);
        const answer = await ask(`/v1/agents/${agent.id}/messages`, recorded?.request.body as object);
        const differences = compareWire(new IdMap(), returnsOf(recorded?.response.body), returnsOf(answer));
        expect(judged.judge(name, recorded && differences)).toEqual([]);
      }
    },
  );

  testComplete(judged);
} else skipRecorded("custom tools are as recorded");

import type { Memoir, Run, RunPiece } from "@memoir/core";
import { expect, test } from "vitest";
import { viewOf } from "./mapper.ts";
import { listEvents } from "./stream.ts";

test("a reply that came at once is turned into events as they are read, not before", async () => {
  let converted = 0;
  const pieces = Array.from({ length: 1_000 }, () => ({
    type: "text" as const,
    get text() {
      converted++;
      return "tea ";
    },
  }));
  const event = { type: "delta" as const, seq: 1, messageId: "message-1", stepId: "step-1", pieces };
  async function* watch(): AsyncGenerator<RunPiece> {
    yield { type: "delta", event };
  }
  const memoir = { messages: { watch } } as unknown as Memoir;
  const run = { id: "run-1", createdAt: 0 } as Run;
  const wish = { view: viewOf("letta_v1_agent", {}), hasPings: false, hasCompactions: false, after: 0 };
  const actor = { orgId: "org-1", userId: "user-1" };
  const events = listEvents(memoir, actor, run, wish, new AbortController().signal);
  await events.next();
  expect(converted).toBeGreaterThan(0);
  expect(converted).toBeLessThan(10);
  expect(await Array.fromAsync(events)).toHaveLength(999);
});

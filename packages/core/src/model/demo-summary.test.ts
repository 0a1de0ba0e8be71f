import { expect, test } from "vitest";
import { openWorld } from "../testing/worlds.ts";
import { summariseTranscript } from "./demo-summary.ts";

test("a summary of the demo holds what the user said, and what an earlier one held", () => {
  const transcript = [
    "Summary so far:\nOf what the user said:\n- My name is Ada.",
    "--- transcript ---",
    "[user] I like tea.",
    "[assistant] Noted.",
    `[user] ${"long ".repeat(100)}`,
    "--- end of transcript ---",
  ].join("\n");
  const summary = summariseTranscript(transcript);
  expect(summary).toMatch(/^Of what the user said:\n- My name is Ada\.\n- I like tea\.\n- long/);
  expect(summary?.length).toBeLessThan(300);
  expect(summariseTranscript("What do you know about me?")).toBeUndefined();
});

test("an agent without a key has its conversation summarised on request", async (context) => {
  const { memoir, actor, createAgent } = await openWorld("sqlite", context);
  const { agent } = await createAgent({ blocks: [{ label: "human", value: "" }] });
  for (const text of ["My name is Ada.", "The kettle is blue."]) {
    const content = [{ type: "text" as const, text }];
    const run = await memoir.messages.send(actor, agent.id, { messages: [{ role: "user", content }] });
    await memoir.messages.complete(actor, run.id);
  }
  const { summary } = await memoir.messages.compact(actor, { agentId: agent.id }, { mode: "all" });
  expect(summary).toContain("- The kettle is blue.");
});

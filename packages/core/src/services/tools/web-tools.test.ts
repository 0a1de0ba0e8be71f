import { expect, test } from "vitest";
import type { Tool } from "../../store/tools/tools.ts";
import { runOutside } from "./web-tools.ts";

test("a call by hand that takes too long ends with a result that says so", async () => {
  const executor = {
    effect: "unsafe",
    timeoutMs: 1,
    run: (_: object, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  } as const;
  const tool = { name: "dig", jsonSchema: null, returnCharLimit: 100 } as Tool;
  const actor = { orgId: "org-1", userId: "user-1" };
  const place = { agentId: "agent-1", conversationId: "conv-1" };
  expect(await runOutside(executor, actor, place, tool, {})).toEqual({
    status: "error",
    error: "dig did not answer within 0.001 seconds.",
  });
});

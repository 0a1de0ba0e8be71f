/** What runs on a thread of threads.ts: one task at a time, each loaded when it is first asked for. */
import { parentPort } from "node:worker_threads";
import { MemoirError } from "../shared/errors.ts";
import type { ThreadAnswer, ThreadTask } from "./threads.ts";

// Node warns on the first use of its TypeScript parser that it may change; the versions we run on are pinned.
process.emitWarning = () => {};

type Work = (input: never) => unknown;

const tasks: Readonly<Record<ThreadTask, () => Promise<Work>>> = {
  "check-value": async () => (await import("../tools/schema-check.ts")).checkPatiently,
  "describe-source": async () => {
    const { loadSourceReader } = await import("../tools/source/describe-source.ts");
    const reader = await loadSourceReader();
    return (input: Parameters<typeof reader.describe>) => reader.describe(...input);
  },
  "find-function": async () => {
    const { loadSourceReader } = await import("../tools/source/describe-source.ts");
    const reader = await loadSourceReader();
    return (input: Parameters<typeof reader.hasFunction>) => reader.hasFunction(...input);
  },
  "read-html": async () => (await import("../tools/web/html-page.ts")).readHtml,
  "strip-types": async () => (await import("../sandbox/strip-source.ts")).stripSource,
};

const tell = (answer: ThreadAnswer) => parentPort?.postMessage(answer);

parentPort?.on("message", async ({ task, input }: { readonly task: ThreadTask; readonly input: never }) => {
  try {
    const work = await tasks[task]();
    tell({ type: "started" });
    tell({ type: "done", value: work(input) });
  } catch (error) {
    if (error instanceof MemoirError) {
      const { code, message, details } = error;
      tell({ type: "refused", error: { code, message, details } });
    } else tell({ type: "broken", message: error instanceof Error ? error.message : String(error) });
  }
});

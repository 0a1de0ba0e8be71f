/**
 * Entry point of the worker threads of threads.ts: runs one task at a time and loads each task's module at first use.
 */
import { parentPort } from "node:worker_threads";
import { MemoirError } from "../shared/errors.ts";
import type { ThreadMessage, ThreadTask } from "./threads.ts";

// Node warns that its TypeScript parser is experimental; the supported Node versions are pinned.
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

const post = (answer: ThreadMessage) => parentPort?.postMessage(answer);

parentPort?.on("message", async ({ task, input }: { readonly task: ThreadTask; readonly input: never }) => {
  try {
    const work = await tasks[task]();
    post({ type: "started" });
    post({ type: "done", value: work(input) });
  } catch (error) {
    if (error instanceof MemoirError) {
      const { code, message, details } = error;
      post({ type: "refused", error: { code, message, details } });
    } else post({ type: "broken", message: error instanceof Error ? error.message : String(error) });
  }
});

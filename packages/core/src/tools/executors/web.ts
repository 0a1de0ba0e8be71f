/** `web_search` and `fetch_webpage`: both only read, so a call that was cut off is simply made again. */
import type { Executor, Executors } from "../tool.ts";
import type { WebTools } from "../web/access.ts";
import { fetchPage } from "../web/fetch-page.ts";
import { searchWeb } from "../web/search-web.ts";

const kind = "service";
const timeoutMs = 90_000;

export function createWebExecutors(tools: WebTools): Executors {
  const runs: Readonly<Record<string, Executor["run"]>> = {
    web_search: async (args, call) => ({ output: await searchWeb(tools, args, call) }),
    fetch_webpage: async (args, call) => ({ output: await fetchPage(tools, String(args.url), call) }),
  };
  return {
    find(tool) {
      const run = tool.kind === kind && Object.hasOwn(runs, tool.name) ? runs[tool.name] : undefined;
      return run && { effect: "read", timeoutMs, run };
    },
  };
}

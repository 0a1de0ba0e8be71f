/** Every recording is compared, but for those named here with the reason. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { recordedRequests } from "../../packages/core/src/testing/recorded-requests.ts";
import { sharedPath } from "../../packages/core/src/testing/shared.ts";
import { isCompared, samples } from "./recorded-samples.ts";
import { hasRecordings, skipRecorded } from "./recordings.ts";

/** Names of recordings by the reason why no test compares them. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  "uploaded files are not read yet": [
    "file-delete",
    "file-retrieve-processed",
    "file-retrieve-with-content",
    "file-upload-broken-pdf",
    "file-upload-csv",
    "file-upload-custom-name",
    "file-upload-duplicate-error",
    "file-upload-duplicate-replace",
    "file-upload-duplicate-skip",
    "file-upload-duplicate-suffix",
    "file-upload-empty",
    "file-upload-json",
    "file-upload-markdown",
    "file-upload-python",
    "file-upload-unsupported",
    "folder-files-list-all",
    "folder-files-list-first-two",
    "folder-passages-list-some",
    "source-files-old-route",
  ],
  "they show files that were uploaded": [
    "agent-context-with-files",
    "agent-export-with-files",
    "agent-file-close",
    "agent-files-close-all",
    "agent-files-list-all",
    "agent-files-list-open",
    "agent-retrieve-with-files",
  ],
  "the tools that read files do not exist yet": [
    "message-grep-files",
    "message-grep-files-bad-pattern",
    "message-grep-files-include",
    "message-grep-files-next-page",
    "message-grep-files-no-match",
    "message-open-file",
    "message-open-file-unknown",
    "message-open-file-window",
    "message-semantic-search-files",
    "message-send-file-tools",
  ],
  "MCP servers are stored, and not connected yet": [
    "agent-export-with-mcp-tool",
    "agent-retrieve-with-mcp-tool",
    "mcp-old-resync",
    "mcp-old-test",
    "mcp-old-test-bad-command",
    "mcp-server-refresh",
    "mcp-server-tools",
    "mcp-tool-old-add",
    "mcp-tool-old-execute",
    "mcp-tool-retrieve",
    "mcp-tool-run",
    "mcp-tool-run-bad-arguments",
    "mcp-tool-run-failing",
    "mcp-tool-run-picture",
    "mcp-tool-run-structured",
    "mcp-tools-old-list",
    "message-mcp-tool",
    "message-mcp-tool-failing",
  ],
  "the partner of a sleep-time agent does not run yet": [
    "message-send-sleeptime",
    "sleeptime-export",
    "sleeptime-group-after",
    "sleeptime-group-messages",
    "sleeptime-main-messages",
    "sleeptime-partner-messages",
    "sleeptime-partner-runs",
    "sleeptime-send-0",
    "sleeptime-send-1",
    "sleeptime-send-2",
    "sleeptime-send-3",
  ],
  "agents do not send messages to each other yet": [
    "agent-export-two-agents",
    "message-list-of-addressed-agent",
    "message-to-agent-and-wait",
    "message-to-agent-async",
    "message-to-agents-by-tags",
    "message-to-unknown-agent",
  ],
};

function listRecordings(folder: string): string[] {
  return readdirSync(sharedPath(folder)).flatMap(
    (file) => /^(.*?)(?:\.request)?(?:\.json|\.sse\.txt)$/.exec(file)?.[1] ?? [],
  );
}

if (hasRecordings) {
  test("every recording is compared, or named with the reason why not", () => {
    const recorded = new Set(["wire", "wire/plain-http", "wire-more"].flatMap(listRecordings));
    const compared = new Set([...Object.values(samples).flat().filter(isCompared), ...recordedRequests]);
    const named = Object.values(leftOut).flat();
    expect([...recorded].filter((name) => !compared.has(name)).sort()).toEqual([...named].sort());
    expect([...compared].filter((name) => !recorded.has(name))).toEqual([]);
  });
} else skipRecorded("every recording is compared, or named with the reason why not");

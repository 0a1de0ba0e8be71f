/** Recorded requests to providers, by protocol. Every name is compared by model/adapters/recorded.test.ts. */
export const requestsByProtocol = {
  chat: [
    "provider-request-chat-completions",
    "provider-request-after-parallel-tools",
    "provider-request-memgpt-v2",
    "provider-request-with-open-file",
    "provider-request-directories",
    "provider-request-from-other-agent",
    "provider-request-sleeptime-partner",
  ],
  responses: ["provider-request-responses"],
  messages: ["provider-request-anthropic", "provider-request-anthropic-after-tool"],
} as const;

export const recordedRequests: readonly string[] = Object.values(requestsByProtocol).flat();

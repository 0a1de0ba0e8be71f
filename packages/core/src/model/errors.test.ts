import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { MemoirError } from "../shared/errors.ts";
import { collectFailure, configOf, requestOf } from "../testing/model-requests.ts";
import { readRetryAfter, redact, toModelError } from "./errors.ts";
import { createModels } from "./providers.ts";

const once = { retries: { tries: 1 } };
const context = { provider: "openai", model: "gpt-4o", secrets: ["abcd-1234"] };

test.for([
  "This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
  "prompt is too long: 200001 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000",
  "the request exceeds the available context size, try increasing it",
  "The input token count exceeds the maximum number of tokens allowed 1048575.",
  "Input is too long for requested model.",
  "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
  "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
  "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
  "The prompt is too long: 140000, model maximum context length: 131071",
  "Prompt exceeds max length",
  "invalid params, context window exceeds limit (2013)",
  "prompt too long; exceeded max context length by 12 tokens",
  "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "Trying to keep the first 5000 tokens when context the overflows.",
  "The number of tokens to keep from the initial prompt is greater than the context length.",
  "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000",
  "`inputs` must have less than 4096 tokens. Given: 5000",
])("an overflow is known by its words: %s", (message) => {
  expect(toModelError({ message, statusCode: 400 }, context).code).toBe("llm-context-exceeded");
});

test("words about tokens in a rate limit are no overflow", () => {
  const message = "Rate limit reached: the maximum context length of tokens per minute";
  expect(toModelError({ message, statusCode: 429 }, context).code).toBe("llm-rate-limit");
});

test("errors of our own pass through", () => {
  const error = new MemoirError("llm-error", "ours");
  expect(toModelError(error, context)).toBe(error);
});

test("whatever is thrown becomes an error with words", () => {
  for (const thrown of [undefined, null, "broken", { code: 7 }, new Error("")]) {
    const error = toModelError(thrown, context);
    expect(error).toMatchObject({ code: "llm-error", details: { isRetryable: true, status: null } });
    expect(error.message).toMatch(/^openai failed: ./);
  }
});

test("a request the package cannot put is the caller's fault", () => {
  const unsupported = Object.assign(new Error("'video' is not supported"), {
    name: "AI_UnsupportedFunctionalityError",
  });
  expect(toModelError(unsupported, context)).toMatchObject({
    code: "llm-bad-request",
    details: { isRetryable: false },
  });
});

test.for([
  ["7", 7_000],
  ["0.5", 500],
  [" 3 ", 3_000],
  ["Thu, 01 Jan 1970 00:00:30 GMT", 20_000],
  ["Thu, 01 Jan 1970 00:00:05 GMT", 0],
  ["soon", null],
] as const)("retry-after: %s is %s ms", ([value, expected]) => {
  expect(readRetryAfter({ "retry-after": value }, () => 10_000)).toBe(expected);
});

test("the exact form of retry-after comes first", () => {
  expect(readRetryAfter({ "retry-after-ms": "120", "retry-after": "9" }, () => 0)).toBe(120);
  expect(readRetryAfter({}, () => 0)).toBeNull();
});

test("keys never get into messages, however a provider quotes them", () => {
  const said = [
    "Incorrect API key provided: sk-proj-abcDEF123456_-xyz.",
    "Incorrect API key provided: sk-abcd***********wxyz.",
    "bad header Authorization: Bearer eyJhbGciOi.payload.sig",
    "key abcd-1234 is unknown",
    "AIzaSyA-0123456789abcdef is not valid",
  ];
  for (const text of said) {
    expect(redact(text, ["abcd-1234"])).toMatch(/\*\*\*/);
    expect(redact(text, ["abcd-1234"])).not.toMatch(/abcDEF|wxyz|eyJ|abcd-1234|AIza/);
  }
  expect(redact("api_connection_error in the risk-averse key-value store")).toBe(
    "api_connection_error in the risk-averse key-value store",
  );
});

test("a server that is not there is an error worth another try, and says where it is not", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const models = createModels({ openai: { apiKey: "k", baseUrl: `http://127.0.0.1:${port}/v1` } }, once);
  const config = configOf("openai/gpt-4o-mini");
  const { error } = await collectFailure(models.get(config), requestOf(config));
  expect(error).toMatchObject({ code: "llm-error", details: { isRetryable: true, status: null } });
  expect(error.message).toContain(`127.0.0.1:${port}`);
});

test("a server that accepts and says nothing is a timeout", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const access = { anthropic: { apiKey: "k", baseUrl: `http://127.0.0.1:${port}` } };
  const models = createModels(access, { ...once, timeouts: { requestMs: 80, streamMs: 60_000 } });
  const config = configOf("anthropic/claude-haiku-4-5");
  const { error } = await collectFailure(models.get(config), requestOf(config));
  expect(error).toMatchObject({ code: "llm-timeout", details: { provider: "anthropic", isRetryable: true } });
});

test("a server that is not running is named with its address and what to check", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:11434"), { code: "ECONNREFUSED" });
  const one = toModelError(new TypeError("fetch failed", { cause: refused }), { ...context, provider: "ollama" });
  expect(one.message).toBe(
    "ollama cannot be reached: connect ECONNREFUSED 127.0.0.1:11434. Check that it runs and that its address is right",
  );
  const both = Object.assign(new AggregateError([refused, refused], ""), { code: "ECONNREFUSED" });
  const several = toModelError(new TypeError("fetch failed", { cause: both }), context);
  expect(several.message).toContain("127.0.0.1:11434, connect");
});

test("the connection's own timeouts are timeouts too", () => {
  const cause = Object.assign(new Error("Headers Timeout Error"), { code: "UND_ERR_HEADERS_TIMEOUT" });
  expect(toModelError(new TypeError("fetch failed", { cause }), context).code).toBe("llm-timeout");
});

test.for([
  [403, "Your team has used all available credits.", "llm-insufficient-credits"],
  [402, "Insufficient Balance", "llm-insufficient-credits"],
  [
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    "llm-bad-request",
  ],
  [400, "API key not valid. Please pass a valid API key.", "llm-authentication"],
  [403, "The request signature we calculated does not match the signature you provided.", "llm-authentication"],
] as const)("%i with %j is %s", ([statusCode, message, code]) => {
  expect(toModelError({ message, statusCode }, context)).toMatchObject({ code, details: { isRetryable: false } });
});

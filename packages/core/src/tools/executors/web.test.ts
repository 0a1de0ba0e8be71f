/** The web as agents meet it: search services that answer in their own formats, and pages. */
import { expect, type TestContext, test } from "vitest";
import type { MemoirOptions } from "../../memoir.ts";
import { callTool, say, scripted } from "../../model/scripted.ts";
import type { JsonObject } from "../../shared/json.ts";
import { openTestMemoir } from "../../testing/databases.ts";
import { type JsonAnswer, type JsonRequest, startJsonServer } from "../../testing/json-server.ts";

/** The call's result and whether it was one. */
async function call(
  context: TestContext,
  name: string,
  args: JsonObject,
  options: Partial<MemoirOptions>,
  secrets: Readonly<Record<string, string>> = {},
) {
  const model = scripted([callTool(name, args), say("Done.")]);
  const memoir = await openTestMemoir("sqlite", context, { models: { get: () => model }, ...options });
  const actor = memoir.defaultActor;
  const { agent } = await memoir.agents.create(actor, { model: "openai/gpt-4o-mini", tools: [name], secrets });
  const input = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "go" }] }] };
  const { messages } = await memoir.messages.complete(actor, (await memoir.messages.send(actor, agent.id, input)).id);
  const { status, output } = messages[1]?.toolReturns?.[0] ?? { status: "none", output: "" };
  return { status, output, json: () => JSON.parse(output) };
}

const exaAnswer = {
  requestId: "b5947044c4b78efa9552a7c89b306d95",
  resolvedSearchType: "neural",
  results: [
    {
      id: "https://example.org/bees",
      title: "Bees",
      url: "https://example.org/bees",
      publishedDate: "2025-01-31T00:00:00.000Z",
      author: "Ada",
      text: "All about bees.",
      highlights: ["Bees make honey.", "They live in hives."],
      highlightScores: [0.46, 0.4],
      summary: "On bees.",
    },
    { id: "x", title: "", url: "https://example.org/x", author: null, highlights: [], summary: "" },
  ],
  costDollars: { total: 0.005 },
};

test("Exa is asked with all that was said, and its answer comes in the shape agents know", async (context) => {
  const exa = await startJsonServer(() => ({ body: exaAnswer }));
  const args = {
    query: "honey bees",
    num_results: 500,
    category: "news",
    include_text: true,
    include_domains: ["https://example.org/a", "b.example"],
    exclude_domains: ["c.example"],
    start_published_date: "2025-01-01",
    end_published_date: "2025-02-01",
    user_location: "de",
  };
  const { status, json } = await call(context, "web_search", args, { web: { exaKey: "exa-1", exaUrl: exa.origin } });
  expect(status).toBe("success");
  expect(json()).toEqual({
    query: "honey bees",
    results: [
      {
        title: "Bees",
        url: "https://example.org/bees",
        published_date: "2025-01-31T00:00:00.000Z",
        author: "Ada",
        text: "All about bees.",
        highlights: ["Bees make honey.", "They live in hives."],
        summary: "On bees.",
      },
      {
        title: null,
        url: "https://example.org/x",
        published_date: null,
        author: null,
        text: null,
        highlights: [],
        summary: null,
      },
    ],
  });
  expect(exa.requests).toHaveLength(1);
  expect(exa.requests[0]).toMatchObject({ method: "POST", path: "/search", headers: { "x-api-key": "exa-1" } });
  expect(exa.requests[0]?.body).toEqual({
    query: "honey bees",
    type: "auto",
    numResults: 100,
    category: "news",
    includeDomains: ["example.org", "b.example"],
    excludeDomains: ["c.example"],
    startPublishedDate: "2025-01-01",
    endPublishedDate: "2025-02-01",
    userLocation: "DE",
    contents: {
      text: true,
      highlights: { query: "honey bees", numSentences: 2, highlightsPerUrl: 3 },
      summary: { query: "honey bees" },
    },
  });
});

const tavilyAnswer = {
  query: "honey bees",
  follow_up_questions: null,
  answer: null,
  images: [],
  results: [
    {
      url: "https://example.org/bees",
      title: "Bees",
      content: "Bees make honey.",
      score: 0.9,
      raw_content: "# Bees\n\nAll about them.",
      published_date: "Fri, 31 Jan 2025 10:00:00 GMT",
    },
  ],
  response_time: 1.2,
  request_id: "123e4567",
};

test("Tavily is asked in its own words", async (context) => {
  const tavily = await startJsonServer(() => ({ body: tavilyAnswer }));
  const args = {
    query: "honey bees",
    category: "github",
    num_results: 50,
    include_text: true,
    start_published_date: "2025-01-01T00:00:00Z",
    user_location: "DE",
  };
  const web = { tavilyKey: "tvly-1", tavilyUrl: tavily.origin };
  const { json } = await call(context, "web_search", args, { web });
  expect(json()).toEqual({
    query: "honey bees",
    results: [
      {
        title: "Bees",
        url: "https://example.org/bees",
        published_date: "Fri, 31 Jan 2025 10:00:00 GMT",
        author: null,
        text: "# Bees\n\nAll about them.",
        summary: "Bees make honey.",
      },
    ],
  });
  expect(tavily.requests[0]).toMatchObject({ path: "/search", headers: { authorization: "Bearer tvly-1" } });
  expect(tavily.requests[0]?.body).toEqual({
    query: "honey bees",
    topic: "general",
    search_depth: "basic",
    max_results: 20,
    include_raw_content: "markdown",
    include_domains: ["github.com"],
    start_date: "2025-01-01",
    country: "germany",
  });
});

const searxngItem = (url: string, more: JsonObject = {}) => ({
  url,
  title: `Page ${url}`,
  content: "A passage.",
  engine: "duckduckgo",
  engines: ["duckduckgo"],
  positions: [1],
  score: 1,
  category: "general",
  publishedDate: null,
  ...more,
});

/** Two pages of results, then none. */
function answerSearxng({ path }: JsonRequest): JsonAnswer {
  const page = Number(new URL(path, "http://x").searchParams.get("pageno"));
  const results = [
    [
      searxngItem("https://example.org/1", { publishedDate: "2025-01-15T00:00:00" }),
      searxngItem("https://example.org/old", { publishedDate: "2020-01-15T00:00:00" }),
      searxngItem("https://elsewhere.example/2"),
    ],
    [searxngItem("https://www.example.org/3"), searxngItem("https://example.org/1")],
  ];
  return {
    body: { query: "q", number_of_results: 0, results: results[page - 1] ?? [], answers: [], unresponsive_engines: [] },
  };
}

test("SearXNG is asked page after page, and what its engines do not filter is filtered", async (context) => {
  const searxng = await startJsonServer(answerSearxng);
  const args = {
    query: "honey bees",
    category: "pdf",
    include_domains: ["example.org"],
    exclude_domains: ["d.example"],
    start_published_date: "2025-01-01",
  };
  const { json } = await call(context, "web_search", args, { web: { searxngUrl: `${searxng.origin}/` } });
  expect(json().results).toEqual([
    {
      title: "Page https://example.org/1",
      url: "https://example.org/1",
      published_date: "2025-01-15T00:00:00",
      author: null,
      summary: "A passage.",
    },
    expect.objectContaining({ url: "https://www.example.org/3", published_date: null }),
  ]);
  expect(searxng.requests).toHaveLength(3);
  const asked = new URL(searxng.requests[0]?.path ?? "", "http://x");
  expect(asked.pathname).toBe("/search");
  expect(Object.fromEntries(asked.searchParams)).toEqual({
    q: "honey bees filetype:pdf site:example.org -site:d.example",
    format: "json",
    pageno: "1",
  });
});

test("a SearXNG that gives no JSON is told what to change", async (context) => {
  const searxng = await startJsonServer(() => ({ status: 403, body: "Forbidden" }));
  const { status, json } = await call(context, "web_search", { query: "q" }, { web: { searxngUrl: searxng.origin } });
  expect(status).toBe("success");
  expect(json()).toEqual({
    query: "q",
    error: 'SearXNG refuses JSON: add "json" to search.formats in its settings.yml',
  });
});

test("a search that failed says why in place of results", async (context) => {
  const exa = await startJsonServer(() => ({ status: 401, body: { error: "Invalid API key exa-wrong" } }));
  const { status, json } = await call(
    context,
    "web_search",
    { query: "q" },
    { web: { exaKey: "exa-wrong", exaUrl: exa.origin } },
  );
  expect(status).toBe("success");
  expect(json()).toEqual({ query: "q", error: 'Exa answered 401 Unauthorized: {"error":"Invalid API key [secret]"}' });
});

test("without anything set up a search is an error that names what to set", async (context) => {
  const { status, output } = await call(context, "web_search", { query: "q" }, {});
  expect(status).toBe("error");
  expect(output).toMatch(/EXA_API_KEY, TAVILY_API_KEY or MEMOIR_SEARXNG_URL/);
});

test("an agent's own key is used in place of the server's, whatever service the server has", async (context) => {
  const exa = await startJsonServer(() => ({ body: exaAnswer }));
  const tavily = await startJsonServer(() => ({ body: tavilyAnswer }));
  const web = { exaKey: "exa-server", exaUrl: exa.origin, tavilyUrl: tavily.origin };
  const { status } = await call(context, "web_search", { query: "q" }, { web }, { TAVILY_API_KEY: "tvly-agent" });
  expect(status).toBe("success");
  expect(exa.requests).toEqual([]);
  expect(tavily.requests[0]?.headers.authorization).toBe("Bearer tvly-agent");
});

test("an agent's own SearXNG may not be inside the server's network, unless that is allowed", async (context) => {
  const searxng = await startJsonServer(answerSearxng);
  const secrets = { MEMOIR_SEARXNG_URL: searxng.origin };
  const refused = await call(context, "web_search", { query: "q" }, {}, secrets);
  expect(refused.json().error).toMatch(/leads to this machine or its own network/);
  expect(searxng.requests).toEqual([]);
  const allowed = await call(context, "web_search", { query: "q" }, { privateHosts: ["127.0.0.1"] }, secrets);
  expect(allowed.json().results).toHaveLength(4);
});

test("a page is read by Exa where there is a key for it, and from here where Exa does not have it", async (context) => {
  const answers: JsonObject[] = [
    {
      results: [
        { title: "Bees", url: "https://example.org/", publishedDate: "2025-01-31", author: "Ada", text: "Hm." },
      ],
    },
    { results: [], statuses: [{ id: "https://nowhere.invalid/", status: "error" }] },
  ];
  const exa = await startJsonServer(() => ({ body: answers.shift() }));
  const web = { exaKey: "exa-1", exaUrl: exa.origin };
  const found = await call(context, "fetch_webpage", { url: "https://example.org/" }, { web });
  expect(found.json()).toEqual({ title: "Bees", published_date: "2025-01-31", author: "Ada", text: "Hm." });
  expect(exa.requests[0]).toMatchObject({ path: "/contents", body: { urls: ["https://example.org/"], text: true } });
  const missing = await call(context, "fetch_webpage", { url: "https://nowhere.invalid/" }, { web });
  expect(missing).toMatchObject({
    status: "error",
    output: expect.stringMatching(/nowhere\.invalid could not be reached/),
  });
});

test("a page inside the own network is neither read nor told to Exa", async (context) => {
  const exa = await startJsonServer(() => ({ body: exaAnswer }));
  const url = `${exa.origin}/admin?token=1`;
  const { status, output } = await call(
    context,
    "fetch_webpage",
    { url },
    { web: { exaKey: "k", exaUrl: exa.origin } },
  );
  expect(status).toBe("error");
  expect(output).toMatch(/own network.*MEMOIR_FETCH_ALLOW_PRIVATE/);
  expect(exa.requests).toEqual([]);
});

test("a page of a host that the operator allows comes as Markdown with its title and address", async (context) => {
  const html = "<title>Bees</title><meta name=author content=Ada><main><h2>Hives</h2><p>They hum.</main>";
  const server = await startJsonServer(() => ({ body: html, headers: { "content-type": "text/html" } }));
  const web = { pageHosts: ["127.0.0.1"] };
  const { status, output } = await call(context, "fetch_webpage", { url: `${server.origin}/bees` }, { web });
  expect(status).toBe("success");
  expect(output).toBe(`# Bees\n\nAddress: ${server.origin}/bees\nAuthor: Ada\n\n## Hives\n\nThey hum.`);
});

/** A whole server and a collector: what reaches it, what does not, and that nobody waits for it. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { isTelemetryOn } from "@memoir/core";
import { trace } from "@opentelemetry/api";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Environment } from "../config/settings.ts";
import { serveOnce } from "../testing/serve-once.ts";
import { listMistakes, readTelemetry } from "./settings.ts";
import { startTelemetry } from "./start-telemetry.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers and deliveries of every shape
type Loose = any;

interface Delivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function startCollector({ isAnswering = true, answer = "{}" } = {}) {
  const deliveries: Delivery[] = [];
  const server = createServer(async (incoming, response) => {
    const text = (await incoming.toArray()).join("");
    deliveries.push({ path: incoming.url ?? "", headers: incoming.headers, text });
    if (isAnswering) response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, deliveries };
}

async function startServer(environment: Environment) {
  const server = await serveOnce(environment);
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.address}/v1${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const createAgent = async (): Promise<string> => {
    const blocks = [{ label: "human", value: "" }];
    const { text } = await call("POST", "/agents/", { model: "memoir/demo", memory_blocks: blocks });
    return JSON.parse(text).id;
  };
  return { call, createAgent, close: server.close };
}

const attributesOf = ({ attributes = [] }: Loose): Loose =>
  Object.fromEntries(attributes.map(({ key, value }: Loose) => [key, Object.values(value)[0]]));

function readSpans(deliveries: readonly Delivery[]): Loose[] {
  return deliveries
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ text }) => JSON.parse(text).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);
}

/** Each span of a trace as the names from the first to itself. */
function draw(spans: readonly Loose[], traceId: string): string[] {
  const own = spans.filter((span) => span.traceId === traceId);
  const nameOf = (span: Loose): string => {
    const parent = own.find(({ spanId }) => spanId === span.parentSpanId);
    return parent ? `${nameOf(parent)} > ${span.name}` : span.name;
  };
  return own.map(nameOf).sort();
}

const traceId = "0af7651916cd43dd8448eb211c80319c";
const caller = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
const words = "My name is Samira";
const nobody = "agent-00000000-0000-4000-8000-000000000000";

test("a streamed answer with a tool call reaches the collector as one tree under its caller, and as figures", async () => {
  const { origin, deliveries } = await startCollector();
  vi.stubEnv("OTEL_SERVICE_NAME", "agents-of-blue");
  vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "team=blue");
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-token=t0ken");
  onTestFinished(() => void vi.unstubAllEnvs());
  const json = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  const { call, createAgent, close } = await startServer({ LETTA_OTEL_EXPORTER_OTLP_ENDPOINT: origin, ...json });
  const agentId = await createAgent();
  const sent = { input: words, streaming: true, stream_tokens: true };
  const { text } = await call("POST", `/agents/${agentId}/messages`, sent, caller);
  expect(text).toContain("Samira");
  expect((await call("GET", `/agents/${nobody}`)).status).toBe(404);
  await close();

  const spans = readSpans(deliveries);
  const route = "POST /v1/agents/{agent_id}/messages";
  const step = `${route} > invoke_agent > step`;
  expect(draw(spans, traceId)).toEqual([
    route,
    `${route} > invoke_agent`,
    step,
    step,
    `${step} > chat demo`,
    `${step} > chat demo`,
    expect.stringMatching(/^POST .* > invoke_agent > step > execute_tool /),
  ]);
  const first = spans.find(({ name }) => name === route);
  expect(first.parentSpanId).toBe("b7ad6b7169203331");
  expect(attributesOf(first)).toMatchObject({
    "http.route": "/v1/agents/{agent_id}/messages",
    "http.response.status_code": 200,
  });
  const missed = spans.find(({ name }) => name === "GET /v1/agents/{agent_id}");
  expect(attributesOf(missed)).toMatchObject({ "http.response.status_code": 404, "error.type": "not-found" });

  const figures = deliveries
    .filter(({ path }) => path === "/v1/metrics")
    .flatMap((delivery) => JSON.parse(delivery.text).resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics.map(({ name }: Loose) => name));
  expect(figures.sort()).toEqual([
    "memoir.messages",
    "memoir.model.duration",
    "memoir.model.first_token",
    "memoir.request.duration",
    "memoir.step.duration",
    "memoir.stream.duration",
    "memoir.tokens",
    "memoir.tool.duration",
    "memoir.tool.executions",
  ]);

  const traces = deliveries.find(({ path }) => path === "/v1/traces");
  const resource = attributesOf(JSON.parse(traces?.text ?? "").resourceSpans[0].resource);
  expect(resource).toMatchObject({ "service.name": "agents-of-blue", team: "blue" });
  expect(deliveries.every(({ headers }) => headers["x-token"] === "t0ken")).toBe(true);
  const everything = deliveries.map((delivery) => delivery.text).join("\n");
  for (const word of ["Samira", "t0ken"]) expect(everything).not.toContain(word);
  expect(isTelemetryOn()).toBe(false);
});

test.for<Environment>([{ OTEL_SDK_DISABLED: "true" }, { LETTA_DISABLE_TRACING: "true" }, { MEMOIR_TELEMETRY: "off" }])(
  "nothing is sent with %j",
  async (silencer) => {
    const { origin, deliveries } = await startCollector();
    const { call, close } = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: origin, ...silencer });
    expect((await call("GET", "/agents/")).status).toBe(200);
    expect(isTelemetryOn()).toBe(false);
    await close();
    expect(deliveries).toEqual([]);
  },
);

test("a collector that never answers holds up neither requests nor the end of the server", async () => {
  const { origin, deliveries } = await startCollector({ isAnswering: false });
  const often = { OTEL_BSP_SCHEDULE_DELAY: "1", OTEL_METRIC_EXPORT_INTERVAL: "50" };
  const { call, createAgent, close } = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: origin, ...often });
  const agentId = await createAgent();
  await expect.poll(() => deliveries.map(({ path }) => path)).toContain("/v1/traces");
  for (const _ of [1, 2, 3]) {
    expect((await call("POST", `/agents/${agentId}/messages`, { input: words })).status).toBe(200);
  }
  expect(deliveries.every(({ headers }) => headers["content-type"] === "application/x-protobuf")).toBe(true);
  await close();
});

const nothing = () => {};
const silentLog = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const config = { otlpEndpoint: "http://collector:4318/", telemetry: true };
const here = { traces: "http://collector:4318/v1/traces", metrics: "http://collector:4318/v1/metrics" };
const elsewhere = "http://elsewhere/spans";

test.for<[string, Environment, object]>([
  ["both go to the endpoint", {}, { ...here, sampler: { share: 1, followsCaller: true } }],
  ["one can go elsewhere", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: elsewhere }, { ...here, traces: elsewhere }],
  ["one can stay at home", { OTEL_METRICS_EXPORTER: "none" }, { ...here, metrics: undefined }],
  [
    "a part of the traces is enough",
    { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" },
    { sampler: { share: 0.1, followsCaller: true } },
  ],
  ["none at all", { OTEL_TRACES_SAMPLER: "always_off" }, { sampler: { share: 0, followsCaller: false } }],
  [
    "what cannot be read is as if it were not set",
    { OTEL_TRACES_SAMPLER: "x", OTEL_BSP_SCHEDULE_DELAY: "-1" },
    { spanDelayMs: 5_000 },
  ],
])("the usual variables are heard: %s", ([, environment, expected]) => {
  expect(readTelemetry(config, environment)).toMatchObject(expected);
});

test("an endpoint may have a space behind it, or a question", () => {
  const read = (otlpEndpoint: string) => readTelemetry({ otlpEndpoint, telemetry: true }, {})?.traces;
  expect(read("http://collector:4318 ")).toBe(here.traces);
  expect(read("http://collector/otlp/?team=blue")).toBe("http://collector/otlp/v1/traces?team=blue");
});

test("a server whose packages for telemetry are missing starts without, and says what to do", async () => {
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void said.push(message) };
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const telemetry = await startTelemetry(config, {}, log, () => Promise.reject(missing));
  expect(said).toEqual([expect.stringContaining("npm install")]);
  expect(isTelemetryOn()).toBe(false);
  await telemetry.close();
});

test("what is sent by gRPC is not sent by us, and that is said", () => {
  const listFor = (otlpEndpoint: string, input: Environment = {}) =>
    listMistakes(input, readTelemetry({ otlpEndpoint, telemetry: true }, input));
  const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
  expect(listFor("http://collector:4318", grpc)).toEqual([expect.stringContaining("http/protobuf")]);
  expect(listFor("http://collector:4317")).toEqual([expect.stringContaining("4318")]);
  expect(listFor("http://collector:4318")).toEqual([]);
});

test("variables that cannot work are named with what they take, and the server starts without them", async () => {
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void said.push(message) };
  const start = async (endpoint: string | undefined, input: Environment) => {
    await (await startTelemetry({ otlpEndpoint: endpoint, telemetry: true }, input, log)).close();
    return said.splice(0);
  };
  const signal = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "nonsense", OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "ftp://x" };
  const faulty = [
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must begin with http:// or https://, not "nonsense": no traces are sent',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT must begin with http:// or https://, not "ftp://x": no metrics are sent',
  ];
  expect(await start(undefined, signal)).toEqual(faulty);
  expect(await start("http://127.0.0.1:9", signal)).toEqual(faulty);
  expect(await start(undefined, { OTEL_TRACES_SAMPLER: "sometimes" })).toEqual([]);

  const long = { OTEL_BSP_SCHEDULE_DELAY: "99999999999" };
  expect(readTelemetry(config, long)?.spanDelayMs).toBe(5_000);
  const values = { ...long, OTEL_TRACES_SAMPLER: "sometimes", OTEL_EXPORTER_OTLP_PROTOCOL: "http/xml" };
  expect((await start("http://127.0.0.1:9", values)).map((text) => text.split(" must")[0])).toEqual(
    expect.arrayContaining(Object.keys(values)),
  );
});

test("what the packages cannot read is said once, and is no failure to deliver", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon");
  vi.stubEnv("OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere.pem");
  onTestFinished(() => void vi.unstubAllEnvs());
  const said: [string, string][] = [];
  const log = {
    ...silentLog,
    warn: (fields: object, message: string) => void said.push([message, String(Object.values(fields))]),
  };
  const opened = await startTelemetry({ otlpEndpoint: "http://127.0.0.1:9", telemetry: true }, {}, log);
  const settings = said.splice(0);
  await opened.close();
  expect(new Set(settings.map(([message]) => message))).toEqual(
    new Set(["a variable of OpenTelemetry cannot be used, and counts as not set"]),
  );
  expect(settings.map(([, reason]) => reason)).toEqual([
    expect.stringContaining("OTEL_EXPORTER_OTLP_TIMEOUT"),
    expect.stringContaining("certificate"),
  ]);
});

test("what a collector does not take is said in its own words", async () => {
  const answer = JSON.stringify({ partialSuccess: { rejectedSpans: 1, errorMessage: "the disk is full" } });
  const { origin: otlpEndpoint } = await startCollector({ answer });
  const said: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void said.push(fields) };
  const environment = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_METRICS_EXPORTER: "none" };
  const telemetry = await startTelemetry({ otlpEndpoint, telemetry: true }, environment, log);
  trace.getTracer("test").startSpan("one").end();
  await telemetry.close();
  expect(said).toEqual([{ reason: expect.stringContaining("the disk is full") }]);
});

test("who is told of steps and who of spans are waited for side by side when a server stops", async () => {
  const { origin, deliveries } = await startCollector();
  const answers: Promise<boolean>[] = [];
  // Answers once the collector has what a server sends at its end.
  const receiver = createServer((_, response) => {
    answers.push(once(response, "close").then(() => response.writableFinished));
    const timer = setInterval(() => {
      if (!deliveries.some(({ path }) => path === "/v1/traces")) return;
      clearInterval(timer);
      response.writeHead(204).end();
    }, 5);
    response.once("close", () => clearInterval(timer));
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  onTestFinished(() => void receiver.close());
  const { call, createAgent, close } = await startServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: origin,
    OTEL_BSP_SCHEDULE_DELAY: "600000",
    STEP_COMPLETE_WEBHOOK: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
  });
  await call("POST", `/agents/${await createAgent()}/messages`, { input: "Hello" });
  await close();
  expect(await Promise.all(answers)).toEqual([true]);
});

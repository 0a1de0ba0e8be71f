/** Bedrock's Converse as a script: a binary stream of events, in the format of the real service. */
import { crc32 } from "node:zlib";
import {
  defaultWireUsage,
  type Protocol,
  type Script,
  type ScriptedServer,
  splitAwkwardly,
  startScriptedServer,
  type WireAnswer,
  type WireFailure,
} from "./scripted-server.ts";

export async function startScriptedBedrock(script: Script = []): Promise<ScriptedServer> {
  return await startScriptedServer(protocol, script);
}

/** Refusals and outages as the service words them. */
export const bedrockFailures = {
  overflow: fail(400, "ValidationException", "Input is too long for requested model."),
  badRequest: fail(
    400,
    "ValidationException",
    "The toolConfig field must be defined when using toolUse content blocks.",
  ),
  badSignature: fail(400, "ValidationException", "messages.1.content.0: Invalid `signature` in `thinking` block"),
  wrongKey: fail(403, "UnrecognizedClientException", "The security token included in the request is invalid."),
  forbidden: fail(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
  unknownModel: fail(404, "ResourceNotFoundException", "Could not resolve the foundation model."),
  rateLimit: fail(429, "ThrottlingException", "Too many requests, please wait before trying again."),
  server: fail(500, "InternalServerException", "The system encountered an unexpected error during processing."),
  overloaded: fail(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
} as const satisfies Record<string, WireFailure>;

function fail(status: number, type: string, message: string): WireFailure {
  return { status, body: { message }, headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/` } };
}

const protocol: Protocol = {
  contentType: "application/vnd.amazon.eventstream",
  streams: ({ path }) => /^\/model\/[^/]+\/converse-stream$/.test(path),
  toEvents: (answer) =>
    toEvents(answer).map(([type, payload]) => encodeAwsEvent({ ":event-type": type }, "event", payload)),
  toBody: () => undefined,
  toErrorEvent: (type, message) => encodeAwsEvent({ ":exception-type": type }, "exception", { message }),
};

type Event = readonly [type: string, payload: object];

function toEvents(answer: WireAnswer): Event[] {
  const { reasoning = [], seal, redacted, text, toolCalls = [], finish } = answer;
  const blocks: Event[][] = [
    ...reasoning.map((thought) => [
      ...splitAwkwardly(thought).map((piece) => toDelta({ reasoningContent: { text: piece } })),
      ...(seal === undefined ? [] : [toDelta({ reasoningContent: { signature: seal } })]),
    ]),
    ...(redacted === undefined ? [] : [[toDelta({ reasoningContent: { redactedContent: redacted } })]]),
    ...(text === undefined ? [] : [splitAwkwardly(text).map((piece) => toDelta({ text: piece }))]),
    ...toolCalls.map((call, index): Event[] => [
      [
        "contentBlockStart",
        { start: { toolUse: { toolUseId: call.id ?? `tooluse_scripted_${index}`, name: call.name } } },
      ],
      ...splitAwkwardly(call.arguments).map((input) => toDelta({ toolUse: { input } })),
    ]),
  ];
  return [
    ["messageStart", { role: "assistant" }],
    ...blocks.flatMap((block, index) =>
      [...block, ["contentBlockStop", {}] as const].map(
        ([type, payload]): Event => [type, { ...payload, contentBlockIndex: index, p: "abcd" }],
      ),
    ),
    ["messageStop", { stopReason: finish ?? (toolCalls.length > 0 ? "tool_use" : "end_turn") }],
    ["metadata", { usage: toUsage(answer), metrics: { latencyMs: 12 } }],
  ];
}

function toDelta(delta: object): Event {
  return ["contentBlockDelta", { delta }];
}

function toUsage({ usage = defaultWireUsage }: WireAnswer): object | undefined {
  if (!usage) return undefined;
  const { prompt, completion, cached, cacheWrite } = usage;
  return {
    inputTokens: prompt - (cached ?? 0) - (cacheWrite ?? 0),
    outputTokens: completion,
    totalTokens: prompt + completion,
    ...(cached === undefined ? {} : { cacheReadInputTokens: cached }),
    ...(cacheWrite === undefined ? {} : { cacheWriteInputTokens: cacheWrite }),
  };
}

export function encodeAwsEvent(named: Readonly<Record<string, string>>, kind: string, payload: object): Uint8Array {
  const fields = { ...named, ":content-type": "application/json", ":message-type": kind };
  const headers = Buffer.concat(Object.entries(fields).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(headers.length + body.length + 16, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const start = Buffer.concat([prelude, toChecksum(prelude), headers, body]);
  return Buffer.concat([start, toChecksum(start)]);
}

function encodeHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.of(Buffer.byteLength(name)),
    Buffer.from(name),
    Buffer.of(7),
    length,
    Buffer.from(value),
  ]);
}

function toChecksum(bytes: Uint8Array): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/** Google's Gemini as a script: `streamGenerateContent`, in the format of the real service, on both of its addresses. */
import {
  defaultWireUsage,
  type Protocol,
  type Script,
  type ScriptedServer,
  splitAwkwardly,
  startScriptedServer,
  type WireAnswer,
  type WireCall,
  type WireFailure,
  type WireRequest,
} from "./scripted-server.ts";

export async function startScriptedGemini(script: Script = []): Promise<ScriptedServer> {
  return await startScriptedServer(protocol, script);
}

/** Refusals and outages as the service words them. */
export const geminiFailures = {
  overflow: fail(
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ),
  badRequest: fail(400, "INVALID_ARGUMENT", 'Invalid JSON payload received. Unknown name "x": Cannot find field.'),
  wrongKey: fail(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
  ]),
  forbidden: fail(403, "PERMISSION_DENIED", "Permission denied on resource project."),
  unknownModel: fail(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta"),
  rateLimit: fail(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 13.5s.", [
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "13.5s" },
  ]),
  server: fail(500, "INTERNAL", "An internal error has occurred."),
  overloaded: fail(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
} as const satisfies Record<string, WireFailure>;

function fail(code: number, status: string, message: string, details: readonly object[] = []): WireFailure {
  return { status: code, body: { error: { code, message, status, details } } };
}

const protocol: Protocol = {
  streams: ({ path }) => path.endsWith(":streamGenerateContent?alt=sse"),
  toEvents: toEvents,
  toBody: () => undefined,
  toErrorEvent: (status, message) => toEvent({ error: { code: 500, message, status } }),
};

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}

function toEvents(answer: WireAnswer, request: WireRequest): string[] {
  const { reasoning = [], text = "", toolCalls = [], seal, refusal } = answer;
  const modelVersion = /models\/([^:]+):/.exec(request.path)?.[1];
  const base = { modelVersion, responseId: "r1" };
  const toChunk = (parts: readonly object[], rest: object = {}) =>
    toEvent({ candidates: [{ content: { parts, role: "model" }, index: 0, ...rest }], ...base });
  if (refusal !== undefined) {
    return [toEvent({ promptFeedback: { blockReason: refusal }, usageMetadata: toUsage(answer), ...base })];
  }
  const isLoneSeal = seal !== undefined && toolCalls.length === 0;
  return [
    ...reasoning.flatMap(splitAwkwardly).map((piece) => toChunk([{ text: piece, thought: true }])),
    ...splitAwkwardly(text).map((piece) => toChunk([{ text: piece }])),
    ...(toolCalls.length > 0
      ? [toChunk(toolCalls.map((call, index) => toCall(call, index === 0 ? seal : undefined)))]
      : []),
    toEvent({
      candidates: [
        {
          content: { parts: [{ text: "", ...(isLoneSeal ? { thoughtSignature: seal } : {}) }], role: "model" },
          finishReason: answer.finish ?? "STOP",
          index: 0,
        },
      ],
      usageMetadata: toUsage(answer),
      ...base,
    }),
  ];
}

function toCall({ name, arguments: json, id }: WireCall, seal: string | undefined): object {
  return {
    functionCall: { name, args: JSON.parse(json), ...(typeof id === "string" ? { id } : {}) },
    ...(seal === undefined ? {} : { thoughtSignature: seal }),
  };
}

function toUsage({ usage = defaultWireUsage }: WireAnswer): object | undefined {
  if (!usage) return undefined;
  const { prompt, completion, cached, reasoning } = usage;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - (reasoning ?? 0),
    totalTokenCount: prompt + completion,
    ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
    ...(reasoning === undefined ? {} : { thoughtsTokenCount: reasoning }),
  };
}

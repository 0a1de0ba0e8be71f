/** Whether an answer is the one that the contract lists, or the refusal that requests.ts lists. */
import { findFault, type Listed } from "./contract.ts";
import { answerSchemas, isEmptyAnswer, refusals } from "./requests.ts";

/** Tells what is wrong with it. */
export function judge({ name, operation }: Listed, { status, headers }: Response, text: string): string | undefined {
  const refusal = refusals[name];
  if (refusal) return status === refusal.status ? undefined : `is not refused although ${refusal.reason}`;
  const listed = Object.keys(operation.responses).filter((code) => code.startsWith("2"));
  if (!listed.includes(String(status))) return `is none of the listed ${listed}`;
  if (status === 204) return text === "" ? undefined : "has a body";
  const content = operation.responses[status]?.content ?? {};
  if (headers.get("content-type")?.startsWith("text/event-stream")) {
    return content["text/event-stream"] ? judgeStream(content["text/event-stream"].schema, text) : "is a stream";
  }
  if (text === "[]" && !isEmptyAnswer.has(name)) return "shows nothing";
  const schema = answerSchemas[name] ?? content["application/json"]?.schema ?? {};
  return breaks(schema, text);
}

function breaks(schema: object, text: string): string | undefined {
  if (text === "") return "is empty";
  const fault = findFault(schema, JSON.parse(text));
  return fault && `breaks its schema: ${fault}`;
}

const streamed = { $ref: "#/components/schemas/LettaStreamingResponse" };

function judgeStream(schema: object = streamed, text: string): string | undefined {
  const frames = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
  if (frames.length < 3 || frames.at(-1) !== "[DONE]") return "is no whole stream";
  return frames
    .slice(0, -1)
    .map((data) => breaks(schema, data))
    .find((fault) => fault !== undefined);
}

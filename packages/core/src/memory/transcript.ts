/** Messages as lines of text, for a model that is to summarise them and for the archive. */
import type { Message } from "../store/messages.ts";
import { readEnvelope } from "./envelopes.ts";

export interface TranscriptLine {
  readonly text: string;
  /** Results of tools are the first to be shortened. */
  readonly isResult: boolean;
}

export function toTranscript(messages: readonly Message[]): TranscriptLine[] {
  return messages.flatMap((message) => {
    const text = describe(message);
    return text === "" ? [] : [{ text: `[${message.role}] ${text}`, isResult: message.role === "tool" }];
  });
}

function describe({ role, content, toolCalls, toolReturns }: Message): string {
  if (role === "tool") return (toolReturns ?? []).map(({ name, output }) => `${name}: ${output}`).join("\n");
  const said = (content ?? []).map((part) =>
    part.type === "text" ? part.text : part.type === "image" ? "[image]" : "",
  );
  const text = readEnvelope(said.filter((piece) => piece !== "").join("\n"));
  const calls = (toolCalls ?? []).map(({ name, arguments: args }) => `${name}(${args})`).join(", ");
  return calls === "" ? text : `${text} -> ${calls}`.trimStart();
}

/** Keeps the beginning and the end. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.max(1, Math.floor(most / 2));
  const lead = text.slice(0, half).toWellFormed();
  return `${lead}… [${text.length - 2 * half} characters left out] …${text.slice(-half).toWellFormed()}`;
}

/** Lines in as many pieces as needed, each of at most so many tokens; a line that is too long for one is cut. */
export function splitTranscript(
  lines: readonly string[],
  mostTokens: number,
  count: (text: string) => number,
): string[] {
  const pieces: string[][] = [];
  let left = 0;
  for (const line of lines) {
    const fitting = cutToTokens(line, mostTokens, count);
    const tokens = count(fitting) + 1;
    const last = pieces.at(-1);
    if (last && tokens <= left) last.push(fitting);
    else {
      pieces.push([fitting]);
      left = mostTokens;
    }
    left -= tokens;
  }
  return pieces.map((piece) => piece.join("\n"));
}

export function cutToTokens(text: string, most: number, count: (text: string) => number): string {
  let cut = text;
  let chars = text.length;
  for (let tokens = count(cut); tokens > most && chars > 100; tokens = count(cut)) {
    chars = Math.max(100, Math.floor(chars * (most / tokens) * 0.9));
    cut = cutMiddle(text, chars);
  }
  return cut;
}

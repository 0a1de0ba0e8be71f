/** Messages as lines of text, for a model that is to summarise them and for the archive. */
import type { Message } from "../store/conversations/messages.ts";
import { readEnvelope } from "./envelopes.ts";
import { countEach } from "./tokens.ts";

export interface TranscriptLine {
  readonly text: string;
  /** Results of tools are the first to be shortened. */
  readonly isResult: boolean;
}

export type Spoken = Pick<Message, "role" | "content" | "toolCalls" | "toolReturns">;

export function toTranscript(messages: readonly Spoken[]): TranscriptLine[] {
  return messages.flatMap((message) => {
    const text = describe(message).replaceAll(ownLine, "> ");
    return text === "" ? [] : [{ text: `[${message.role}] ${text}`, isResult: message.role === "tool" }];
  });
}

/** Where a line of what was said looks like one of ours: nobody may speak in another's name, or end a transcript. */
const ownLine =
  /^(?=[^\S\r\n\u2028\u2029]*(?:\[(?:approval|assistant|summary|system|tool|user)\]|-+ *(?:end of )?transcript))/gim;

function describe({ role, content, toolCalls, toolReturns }: Spoken): string {
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
export async function splitTranscript(
  lines: readonly string[],
  maxTokens: number,
  count: (text: string) => number,
): Promise<string[]> {
  const pieces: string[][] = [];
  const counts = await countEach(lines, count);
  let left = 0;
  for (const [index, line] of lines.entries()) {
    const isLong = (counts[index] ?? 0) > maxTokens;
    const fitting = isLong ? cutToTokens(line, maxTokens, count) : line;
    const tokens = (isLong ? count(fitting) : (counts[index] ?? 0)) + 1;
    const last = pieces.at(-1);
    if (last && tokens <= left) last.push(fitting);
    else {
      pieces.push([fitting]);
      left = maxTokens;
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

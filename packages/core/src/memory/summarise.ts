/**
 * Has a model write down what an agent must not lose of the messages that leave its context. Whatever goes wrong, there is
 * a summary in the end: another model is asked, and at last what can be said without one.
 */
import type { Model, ModelRequest } from "../model/model.ts";
import type { CompactionSettings } from "../shared/compaction-settings.ts";
import { type PromptMessage, textOf } from "../shared/content.ts";
import { isMemoirError, MemoirError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import type { ModelConfig } from "../shared/model-config.ts";
import { readSummary } from "./envelopes.ts";
import type { TokenCounter } from "./tokens.ts";
import { cutMiddle, cutToTokens, splitTranscript, type TranscriptLine } from "./transcript.ts";

/** Who may be asked, in this order. */
export interface Summariser {
  readonly model: Model;
  readonly config: ModelConfig;
}

export interface SummaryTask {
  readonly lines: readonly TranscriptLine[];
  readonly prompt: string;
  readonly settings: Pick<CompactionSettings, "acknowledgement">;
  readonly summarisers: readonly Summariser[];
  readonly counter: TokenCounter;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** What of a summariser's window a piece may take; the rest is for the prompt, the summary so far and the answer. */
const shareForPiece = 0.6;
/** Longer results say little more in a summary. */
const resultChars = 5_000;
/** So that a context of any size is done with in a handful of calls. */
const maxPieces = 8;

export async function summarise(task: SummaryTask): Promise<string> {
  for (const summariser of task.summarisers) {
    for (const shrink of [1, 0.5, 0.25]) {
      try {
        return await summariseWith(task, summariser, shrink);
      } catch (error) {
        if (task.signal.aborted) throw error;
        task.log.warn({ err: error, model: summariser.config.model }, "a summary could not be written");
        if (!isMemoirError(error, "llm-context-exceeded")) break;
      }
    }
  }
  return describePlainly(task.lines);
}

async function summariseWith(task: SummaryTask, summariser: Summariser, shrink: number): Promise<string> {
  const { counter, prompt } = task;
  const window = summariser.config.contextWindow * shrink;
  const forPiece = Math.max(500, Math.floor(window * shareForPiece) - counter.text(prompt));
  let summary = "";
  for (const piece of await splitTask(task, forPiece)) {
    const so =
      summary === "" ? "" : `Summary so far:\n${cutToTokens(summary, Math.floor(window / 5), counter.text)}\n\n`;
    summary = await ask(task, summariser, `${so}--- transcript ---\n${piece}\n--- end of transcript ---`);
  }
  return summary;
}

/** Results are shortened only if the whole does not fit at once. */
async function splitTask({ lines, counter }: SummaryTask, maxTokens: number): Promise<string[]> {
  const whole = await splitTranscript(texts(lines, Number.POSITIVE_INFINITY), maxTokens, counter.text);
  if (whole.length === 1) return whole;
  let pieces = await splitTranscript(texts(lines, resultChars), maxTokens, counter.text);
  for (let most = resultChars; pieces.length > maxPieces && most > 100; most /= 2) {
    const shorter = lines.map(({ text }) => cutMiddle(text, most));
    pieces = await splitTranscript(shorter, maxTokens, counter.text);
  }
  // So much was said in so short lines that only its ends can be told.
  return pieces.length > maxPieces ? [...pieces.slice(0, 3), ...pieces.slice(3 - maxPieces)] : pieces;
}

function texts(lines: readonly TranscriptLine[], maxOfResult: number): string[] {
  return lines.map(({ text, isResult }) => (isResult ? cutMiddle(text, maxOfResult) : text));
}

async function ask(task: SummaryTask, { model, config }: Summariser, transcript: string): Promise<string> {
  const messages: PromptMessage[] = [{ role: "user", content: [{ type: "text", text: transcript }] }];
  if (task.settings.acknowledgement) {
    const content = [{ type: "text" as const, text: "I will summarise the transcript as asked." }];
    messages.unshift({ role: "assistant", content, toolCalls: [] });
  }
  return await askForText(model, { ...plainRequest(config), system: task.prompt, messages }, task.signal);
}

/** The words of a reply; having none counts as a failure. */
export async function askForText(model: Model, request: ModelRequest, signal: AbortSignal): Promise<string> {
  for await (const chunk of model.stream(request, signal)) {
    if (chunk.type !== "reply") continue;
    const said = textOf(chunk.reply.content);
    if (said.trim() !== "") return said.trim();
  }
  signal.throwIfAborted();
  throw new MemoirError("llm-error", "the model sent an empty reply instead of a summary");
}

function plainRequest(config: ModelConfig): Omit<ModelRequest, "system" | "messages"> {
  return {
    config: { ...config, reasoning: { enabled: false, effort: null, budgetTokens: 0 }, responseFormat: null },
    tools: [],
    toolChoice: "none",
    parallelToolCalls: false,
    responseFormat: null,
  };
}

const plainChars = 600;

/** Nobody could be asked: what was said first and last, as it was said. */
function describePlainly(lines: readonly TranscriptLine[]): string {
  const earlier = lines
    .filter(({ text }) => text.startsWith("[summary] "))
    .map(({ text }) => readSummary(text) ?? text.slice(10));
  const spoken = lines.filter(({ text, isResult }) => !isResult && !text.startsWith("[summary] "));
  const shown = [...new Set([...spoken.slice(0, 2), ...spoken.slice(-6)])];
  return [
    ...earlier,
    "No summary of what followed could be written; search recall memory for it. Some of it, word for word:",
    ...shown.map(({ text }) => cutMiddle(text, plainChars)),
  ].join("\n");
}

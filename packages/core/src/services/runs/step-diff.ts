/** What a model saw in one step and not in another. */
import { isDeepStrictEqual } from "node:util";
import { matchLines } from "../../memory/match-lines.ts";
import { type DiffHunk, diffTexts, toUnifiedText } from "../../memory/unified-diff.ts";
import type { PromptMessage, ToolDefinition } from "../../shared/content.ts";
import type { RebuiltRequest } from "./step-request.ts";

export interface StepDiff {
  readonly from: DiffSide;
  readonly to: DiffSide;
  readonly system: { readonly hunks: readonly DiffHunk[]; readonly text: string };
  readonly tools: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly { readonly name: string; readonly hunks: readonly DiffHunk[] }[];
  };
  /** By their names; those of the model's config too. */
  readonly settings: readonly { readonly name: string; readonly from: unknown; readonly to: unknown }[];
  readonly messages: {
    readonly same: number;
    readonly removed: readonly PlacedMessage[];
    readonly added: readonly PlacedMessage[];
  };
}

export interface DiffSide {
  readonly stepId: string;
  /** What is compared is what was sent, byte for byte. */
  readonly isExact: boolean;
}

/** Places count from 0, in the list of its own step. */
export interface PlacedMessage {
  readonly place: number;
  readonly message: PromptMessage;
}

export function diffRequests(from: RebuiltRequest, to: RebuiltRequest): StepDiff {
  const hunks = diffTexts(from.system, to.system);
  return {
    from: { stepId: from.stepId, isExact: from.isExact },
    to: { stepId: to.stepId, isExact: to.isExact },
    system: { hunks, text: toUnifiedText(hunks, { old: `system of ${from.stepId}`, next: `system of ${to.stepId}` }) },
    tools: diffTools(from.tools, to.tools),
    settings: diffSettings(flatten(from), flatten(to)),
    messages: diffMessages(from.messages, to.messages),
  };
}

function diffTools(from: readonly ToolDefinition[], to: readonly ToolDefinition[]): StepDiff["tools"] {
  const old = new Map(from.map((tool) => [tool.name, tool]));
  const next = new Map(to.map((tool) => [tool.name, tool]));
  const names = (list: Iterable<string>, others: ReadonlyMap<string, unknown>) =>
    [...list].filter((name) => !others.has(name));
  return {
    added: names(next.keys(), old),
    removed: names(old.keys(), next),
    changed: [...next.values()].flatMap((tool) => {
      const before = old.get(tool.name);
      const hunks = before ? diffTexts(toText(before), toText(tool)) : [];
      return hunks.length > 0 ? [{ name: tool.name, hunks }] : [];
    }),
  };
}

const toText = (tool: ToolDefinition) => JSON.stringify(tool, null, 2);

function flatten({ settings: { config, ...rest } }: RebuiltRequest): Map<string, unknown> {
  const own = Object.entries(config).map(([name, value]): [string, unknown] => [`config.${name}`, value]);
  return new Map<string, unknown>([...Object.entries(rest), ...own]);
}

function diffSettings(from: ReadonlyMap<string, unknown>, to: ReadonlyMap<string, unknown>): StepDiff["settings"] {
  const names = [...new Set([...from.keys(), ...to.keys()])];
  return names
    .map((name) => ({ name, from: from.get(name) ?? null, to: to.get(name) ?? null }))
    .filter((change) => !isDeepStrictEqual(change.from, change.to));
}

function diffMessages(from: readonly PromptMessage[], to: readonly PromptMessage[]): StepDiff["messages"] {
  const texts = (messages: readonly PromptMessage[]) => messages.map((message) => JSON.stringify(message));
  const matches = matchLines(texts(from), texts(to));
  const kept = new Set(matches);
  return {
    same: matches.filter((match) => match >= 0).length,
    removed: from.flatMap((message, place) => (kept.has(place) ? [] : [{ place, message }])),
    added: to.flatMap((message, place) => ((matches[place] ?? -1) >= 0 ? [] : [{ place, message }])),
  };
}

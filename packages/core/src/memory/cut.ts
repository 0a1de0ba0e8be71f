/** Where a context that has grown too long is cut: what comes before is summarised, the rest stays as it is. */

export interface Weighed {
  readonly tokens: number;
  /** The kept part may begin with it: a reply of the agent, so that no result is left without its call. */
  readonly canBegin: boolean;
}

export interface CutGoal {
  /** Of what always stays: the system message and the tools. */
  readonly fixedTokens: number;
  readonly contextWindow: number;
  /** The share that goes at least; raised until what stays is small enough. */
  readonly share: number;
}

const stride = 0.1;

/**
 * How many of the messages after the system message go; undefined when no cut leaves something that is small enough.
 * Messages are counted with the system message as the first.
 */
export function chooseCut(messages: readonly Weighed[], goal: CutGoal): number | undefined {
  const most = (1 - goal.share) * goal.contextWindow;
  const count = messages.length + 1;
  for (let share = goal.share + stride; share < 1; share += stride) {
    const wanted = roundHalfToEven(share * count);
    const index = findBeginning(messages, wanted - 1);
    if (index === undefined) continue;
    const kept = messages.slice(index).reduce((sum, { tokens }) => sum + tokens, goal.fixedTokens);
    if (kept < most) return index < messages.length - 1 ? index : undefined;
  }
  return undefined;
}

/** The last place at or before `index` where the kept part may begin; not the first, or nothing would go. */
function findBeginning(messages: readonly Weighed[], index: number): number | undefined {
  for (let place = Math.min(index, messages.length - 1); place > 0; place--)
    if (messages[place]?.canBegin) return place;
  return undefined;
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (Math.abs(rest - 0.5) > 1e-9) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

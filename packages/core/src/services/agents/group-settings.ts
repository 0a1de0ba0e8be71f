/** What each kind of group needs to know, and what it leaves empty. */
import { invalidInput } from "../../shared/errors.ts";
import type { GroupKind, GroupRecord } from "../../store/agents/groups.ts";

/** What is left out keeps its value, or gets the usual one. */
export interface GroupSettings {
  readonly kind: GroupKind;
  readonly managerAgentId?: string;
  /** A reply that holds it ends the round. */
  readonly terminationToken?: string;
  readonly maxTurns?: number;
  /** How many of the manager's turns pass between two rounds of the others. */
  readonly frequency?: number;
  readonly maxBuffer?: number;
  readonly minBuffer?: number;
}

export type ResolvedSettings = Pick<
  GroupRecord,
  "kind" | "managerAgentId" | "terminationToken" | "maxTurns" | "frequency" | "turns" | "maxBuffer" | "minBuffer"
>;

const defaultToken = "DONE!";
const unmanaged: ReadonlySet<GroupKind> = new Set(["round_robin", "swarm"]);

/** `stored` is what the group has now; of another kind, only its manager is kept. */
export function resolveSettings(input: GroupSettings, stored?: ResolvedSettings): ResolvedSettings {
  const { kind } = input;
  const before = stored?.kind === kind ? stored : undefined;
  const isFor = (...kinds: readonly GroupKind[]) => kinds.includes(kind);
  const frequency = isFor("sleeptime") ? (input.frequency ?? before?.frequency ?? null) : null;
  const settings: ResolvedSettings = {
    kind,
    managerAgentId: unmanaged.has(kind) ? null : (input.managerAgentId ?? stored?.managerAgentId ?? null),
    terminationToken: isFor("dynamic") ? (input.terminationToken ?? before?.terminationToken ?? defaultToken) : null,
    maxTurns: isFor("round_robin", "dynamic") ? (input.maxTurns ?? before?.maxTurns ?? null) : null,
    frequency,
    turns: frequency === null ? null : (before?.turns ?? -1),
    maxBuffer: isFor("voice_sleeptime") ? (input.maxBuffer ?? before?.maxBuffer ?? null) : null,
    minBuffer: isFor("voice_sleeptime") ? (input.minBuffer ?? before?.minBuffer ?? null) : null,
  };
  checkSettings(settings);
  return settings;
}

function checkSettings({ kind, managerAgentId, maxTurns, frequency, maxBuffer, minBuffer }: ResolvedSettings): void {
  if (!unmanaged.has(kind) && managerAgentId === null) {
    throw invalidInput("manager_config", `a ${kind} group needs a manager_agent_id`);
  }
  if (maxTurns !== null && maxTurns < 1) throw invalidInput("manager_config", "max_turns must be at least 1");
  if (frequency !== null && frequency < 0) {
    throw invalidInput("manager_config", "sleeptime_agent_frequency must not be negative; 0 means never");
  }
  if (maxBuffer === null && minBuffer === null) return;
  if (maxBuffer === null || minBuffer === null || minBuffer < 1 || minBuffer >= maxBuffer) {
    throw invalidInput(
      "manager_config",
      "min_message_buffer_length and max_message_buffer_length go together, and the first must be the smaller",
    );
  }
}

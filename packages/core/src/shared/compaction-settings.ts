/** Settings for shortening an agent's context when it grows too long. */
import type { JsonObject } from "./json.ts";
import type { ModelConfig } from "./model-config.ts";

export const compactionModes = ["all", "sliding_window", "self_compact_all", "self_compact_sliding_window"] as const;

export type CompactionMode = (typeof compactionModes)[number];

export interface CompactionSettings {
  readonly model: string | null;
  /** The settings as the client wrote them, for responses. */
  readonly modelSettings: JsonObject | null;
  /** The same settings as a partial ModelConfig, applied over the model that writes summaries. */
  readonly modelOverlay?: Partial<ModelConfig> | null;
  readonly prompt: string | null;
  readonly acknowledgement: boolean;
  readonly clipChars: number | null;
  readonly mode: CompactionMode;
  readonly slidingWindowPercentage: number;
  /** Whether messages that leave the context are also inserted into the agent's archive. */
  readonly archiveEvicted: boolean;
}

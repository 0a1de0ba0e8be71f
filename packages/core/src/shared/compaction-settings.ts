/** How an agent's context is shortened when it grows too long. */
import type { JsonObject } from "./json.ts";
import type { ModelConfig } from "./model-config.ts";

export const compactionModes = ["all", "sliding_window", "self_compact_all", "self_compact_sliding_window"] as const;

export type CompactionMode = (typeof compactionModes)[number];

export interface CompactionSettings {
  readonly model: string | null;
  /** As whoever set them wrote them, for showing. */
  readonly modelSettings: JsonObject | null;
  /** What they mean: laid over the model that writes summaries. */
  readonly modelOverlay?: Partial<ModelConfig> | null;
  readonly prompt: string | null;
  readonly acknowledgement: boolean;
  readonly clipChars: number | null;
  readonly mode: CompactionMode;
  readonly slidingWindowPercentage: number;
  /** Whether what leaves the context is also filed in the agent's archive. */
  readonly archiveEvicted: boolean;
}

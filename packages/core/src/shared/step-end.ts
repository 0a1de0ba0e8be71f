/** The event that step listeners receive. */
export interface StepEnd {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly conversationId: string;
  /** The run that closed the step; after an approval, the run that carried the answer. */
  readonly runId: string;
  readonly status: "success" | "failed" | "cancelled";
  /** In microseconds since 1970. */
  readonly endedAt: number;
}

/** Called after the commit that closed the step; it is not awaited, and its errors are logged. */
export type StepListener = (step: StepEnd) => void | Promise<void>;

/** The end of a step, as it is told to whoever wants to know. */
export interface StepEnd {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly conversationId: string;
  /** The run that ended it: where the step had to wait for an answer, the one that came with the answer. */
  readonly runId: string;
  readonly status: "success" | "failed" | "cancelled";
  /** In microseconds since 1970. */
  readonly endedAt: number;
}

/** Called after the commit that ended the step. It is not waited for, and what it throws is logged. */
export type StepListener = (step: StepEnd) => void | Promise<void>;

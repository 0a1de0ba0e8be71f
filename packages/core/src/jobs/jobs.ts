/**
 * The queue of conversations with open runs; the database holds the runs and their order, `Jobs` only dispatches them.
 */

export interface ConversationKey {
  readonly orgId: string;
  readonly conversationId: string;
}

/** A conversation that had open runs when the process started. */
export interface WaitingConversation extends ConversationKey {
  /** How often its runs were taken over without making progress. */
  readonly takeovers: number;
}

export interface JobHandlers {
  /** Drives the open runs of one conversation, in order, until none is left. */
  readonly drainConversation: (key: ConversationKey, signal: AbortSignal) => Promise<void>;
}

export interface Jobs {
  /**
   * Starts draining `waiting`; conversations suspected of crashing the process come last and one at a time, so that
   * another crash interrupts nothing else.
   */
  start(handlers: JobHandlers, waiting: readonly WaitingConversation[]): void;
  /** Queues a conversation that has an open run; drains of one conversation never overlap. */
  wake(key: ConversationKey): void;
  /** Aborts active drains; their runs continue after the next start. */
  stop(): Promise<void>;
}

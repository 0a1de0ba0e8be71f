/** Getting work to whoever does it. The work itself, and its order, are in the database; this only moves it. */

export interface ConversationKey {
  readonly orgId: string;
  readonly conversationId: string;
}

/** A conversation that was left with open runs. */
export interface WaitingConversation extends ConversationKey {
  /** How often its runs were taken over without getting further. */
  readonly takeovers: number;
}

export interface JobHandlers {
  /** Works off the runs of one conversation, in their order, until none is left. */
  readonly drainConversation: (key: ConversationKey, signal: AbortSignal) => Promise<void>;
}

export interface Jobs {
  /**
   * Begins to work. Of the waiting conversations, those whose runs may have ended the process come last and one by one, so
   * that they do not take others along.
   */
  start(handlers: JobHandlers, waiting: readonly WaitingConversation[]): void;
  /** Says that a conversation has an open run. Never two drains of one conversation at a time. */
  wake(key: ConversationKey): void;
  /** Stops what is under way; it goes on at the next start. */
  stop(): Promise<void>;
}

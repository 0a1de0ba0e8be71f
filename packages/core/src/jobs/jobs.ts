/** Getting work to whoever does it. The work itself, and its order, are in the database; this only moves it. */

export interface ConversationKey {
  readonly orgId: string;
  readonly conversationId: string;
}

export interface JobHandlers {
  /** Works off the runs of one conversation, in their order, until none is left. */
  readonly drainConversation: (key: ConversationKey, signal: AbortSignal) => Promise<void>;
}

export interface Jobs {
  /** Begins to work; `waiting` names conversations that were left with open runs. */
  start(handlers: JobHandlers, waiting: readonly ConversationKey[]): void;
  /** Says that a conversation has an open run. Never two drains of one conversation at a time. */
  wake(key: ConversationKey): void;
  /** Stops what is under way; it goes on at the next start. */
  stop(): Promise<void>;
}

/** Moves work inside one process. What is under way when the process dies is found again at the next start. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../shared/log.ts";
import type { ConversationKey, JobHandlers, Jobs, WaitingConversation } from "./jobs.ts";

/** A database that is away comes back; until then the conversation waits. */
const firstPauseMs = 250;
const longestPauseMs = 15_000;

/** One crash hits every run under way; a second during the same run makes it a suspect. */
const suspectTakeovers = 1;

export function createEmbeddedJobs(log: Log): Jobs {
  const stopping = new AbortController();
  /** Conversations being drained; true when woken again meanwhile. */
  const active = new Map<string, boolean>();
  const drains = new Map<string, Promise<void>>();
  let handlers: JobHandlers | undefined;

  async function drain(key: ConversationKey, work: JobHandlers): Promise<void> {
    for (let failures = 0; ; ) {
      active.set(key.conversationId, false);
      try {
        await work.drainConversation(key, stopping.signal);
        failures = 0;
      } catch (error) {
        if (stopping.signal.aborted) break;
        log.error({ err: error, ...key }, "working off a conversation failed; it is tried again");
        await sleep(Math.min(longestPauseMs, firstPauseMs * 2 ** failures++), undefined, {
          signal: stopping.signal,
        }).catch(() => {});
        continue;
      }
      if (!active.get(key.conversationId) || stopping.signal.aborted) break;
    }
    active.delete(key.conversationId);
  }

  function wake(key: ConversationKey): void {
    if (!handlers || stopping.signal.aborted) return;
    if (active.has(key.conversationId)) {
      active.set(key.conversationId, true);
      return;
    }
    const work = drain(key, handlers).finally(() => drains.delete(key.conversationId));
    drains.set(key.conversationId, work);
  }

  async function resumeSuspects(keys: readonly ConversationKey[]): Promise<void> {
    await Promise.allSettled(drains.values());
    for (const key of keys) {
      wake(key);
      await drains.get(key.conversationId);
    }
  }

  return {
    start(input, waiting) {
      handlers = input;
      const isSuspect = ({ takeovers }: WaitingConversation) => takeovers >= suspectTakeovers;
      for (const key of waiting) if (!isSuspect(key)) wake(key);
      void resumeSuspects(waiting.filter(isSuspect));
    },
    wake,
    async stop() {
      stopping.abort();
      await Promise.allSettled(drains.values());
    },
  };
}

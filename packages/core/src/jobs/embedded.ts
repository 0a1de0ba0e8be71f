/**
 * Runs the queue of conversations inside one process; the database holds the queue, so a restart finds interrupted runs
 * again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../shared/log.ts";
import type { ConversationKey, JobHandlers, Jobs, WaitingConversation } from "./jobs.ts";

/** Exponential backoff between drains that failed, usually because the database was unreachable. */
const initialBackoffMs = 250;
const maxBackoffMs = 15_000;

/** A crash interrupts every active run, so a run is suspected of causing it only after its second takeover. */
const suspectTakeovers = 1;

export function createEmbeddedJobs(log: Log): Jobs {
  const stopping = new AbortController();
  /** Conversations being drained, by id; true if `wake` was called again during the drain. */
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
        await sleep(Math.min(maxBackoffMs, initialBackoffMs * 2 ** failures++), undefined, {
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

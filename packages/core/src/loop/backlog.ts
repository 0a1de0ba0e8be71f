/**
 * Events that a follower of a run has not read yet. Past a size they are dropped, and read from the log when the follower
 * comes to them: a client that stops reading costs no more memory than this, however much its run says.
 */
import type { LoggedEvent } from "../shared/events.ts";

/** Of the events as JSON. */
const maxCharacters = 131_072;

export interface Backlog {
  readonly isEmpty: boolean;
  /** Events were dropped: the log has to be read before others are queued. */
  readonly hasDropped: boolean;
  add(events: readonly LoggedEvent[]): void;
  take(): LoggedEvent[];
  /** Drops what is queued and what is added until `resume`. */
  drop(): void;
  /** Queues again. Called before the log is read, so that events committed during the read are not missed. */
  resume(): void;
}

export function createBacklog(): Backlog {
  let queue: LoggedEvent[] = [];
  let size = 0;
  let hasDropped = false;
  function take(): LoggedEvent[] {
    const taken = queue;
    queue = [];
    size = 0;
    return taken;
  }
  function drop(): void {
    take();
    hasDropped = true;
  }
  return {
    get isEmpty() {
      return queue.length === 0;
    },
    get hasDropped() {
      return hasDropped;
    },
    add(events) {
      for (const event of events) {
        if (hasDropped) return;
        size += JSON.stringify(event).length;
        // An event that is too large by itself is queued alone: the log would return the same one.
        if (size > maxCharacters && queue.length > 0) drop();
        else queue.push(event);
      }
    },
    take,
    drop,
    resume() {
      hasDropped = false;
    },
  };
}

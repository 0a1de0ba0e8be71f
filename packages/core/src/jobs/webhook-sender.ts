/**
 * Delivers the outbox as webhooks, with retries. Delivery is at least once: a crash between sending and
 * `recordDelivery` sends an item again.
 */
import { guardedPost } from "../network/post.ts";
import type { JsonObject } from "../shared/json.ts";
import type { Log } from "../shared/log.ts";
import type { Store } from "../store/engine/store.ts";
import {
  claimOutbox,
  dropOutbox,
  type OutboxItem,
  postponeOutbox,
  recordDelivery,
  returnOutbox,
} from "../store/runs/outbox.ts";
import { listDueOutbox, reclaimOutbox } from "../store/system.ts";

export interface WebhookSender {
  start(): void;
  /** Triggers a delivery round. */
  wake(): void;
  stop(): Promise<void>;
}

export interface WebhookSenderOptions {
  readonly store: Store;
  readonly log: Log;
  /** Private hosts that may be called. */
  readonly allowedHosts: readonly string[];
  /** Builds the payload; `later` if it is not available yet, undefined if the item is obsolete. */
  readonly compose: (orgId: string, item: OutboxItem) => Promise<JsonObject | "later" | undefined>;
  /** Delays before the second attempt, the third, and so on; an item is dropped after the last. */
  readonly retryDelaysMs?: readonly number[];
  readonly pollMs?: number;
}

const defaultRetryDelaysMs = [5_000, 30_000, 120_000, 600_000, 3_600_000];
const defaultPollMs = 10_000;
const itemsAtOnce = 20;
/** How long a claim on an item is valid before another process may claim it. */
const claimMs = 60_000;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { store, log, pollMs = defaultPollMs, retryDelaysMs = defaultRetryDelaysMs } = options;
  let isReclaimed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isStopped = true;
  let isWoken = false;

  const logFailure = (error: unknown) =>
    log.error({ err: error }, "what is in the outbox could not be sent; it is tried again");

  async function sendDue(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      if (!isReclaimed) await reclaimOutbox(store, Math.max(claimMs, ...retryDelaysMs));
      isReclaimed = true;
      const due = await listDueOutbox(store, store.due(), itemsAtOnce);
      await Promise.all(due.map(({ orgId, item }) => deliver(options, orgId, item).catch(logFailure)));
      if (due.length < itemsAtOnce && !isWoken) return;
    }
  }

  function wake(): void {
    isWoken = true;
    if (isStopped || round) return;
    clearTimeout(timer);
    round = sendDue()
      .catch(logFailure)
      .finally(() => {
        round = undefined;
        if (!isStopped) timer = setTimeout(wake, pollMs).unref();
      });
  }

  return {
    start() {
      isStopped = false;
      wake();
    },
    wake,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}

async function deliver(options: WebhookSenderOptions, orgId: string, item: OutboxItem): Promise<void> {
  const { store, compose, pollMs = defaultPollMs } = options;
  const until = store.due() + claimMs * 1000;
  if (!(await store.write(orgId, (scope) => claimOutbox(scope, item, until)))) return;
  const body = await compose(orgId, item);
  if (body === undefined) return await store.write(orgId, (scope) => dropOutbox(scope, item.id));
  if (body === "later") {
    return await store.write(orgId, (scope) => returnOutbox(scope, item, until, scope.due() + pollMs * 1000));
  }
  await recordAttempt(options, orgId, item, await send(options, item.target, JSON.stringify(body)));
}

interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
  readonly isFinal: boolean;
}

async function send({ allowedHosts }: WebhookSenderOptions, target: string, body: string): Promise<Attempt> {
  try {
    const status = await guardedPost(target, body, allowedHosts);
    if (status >= 200 && status < 300) return { status, error: null, isFinal: true };
    // Other 4xx statuses are permanent: the same request would fail again.
    const isTransient = status >= 500 || status === 408 || status === 425 || status === 429;
    return { status, error: `the receiver answered ${status}`, isFinal: !isTransient };
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error), isFinal: false };
  }
}

async function recordAttempt(
  options: WebhookSenderOptions,
  orgId: string,
  item: OutboxItem,
  attempt: Attempt,
): Promise<void> {
  const { store, log, retryDelaysMs = defaultRetryDelaysMs } = options;
  const { status, error } = attempt;
  const delay = retryDelaysMs[item.attempts];
  await store.write(orgId, async (scope) => {
    const sentAt = scope.now();
    await recordDelivery(scope, item, { sentAt, status, error });
    if (attempt.isFinal || delay === undefined) await dropOutbox(scope, item.id);
    else {
      const attempts = item.attempts + 1;
      await postponeOutbox(scope, item.id, { dueAt: scope.due() + delay * 1000, attempts, error });
    }
  });
  if (error !== null) log.warn({ target: new URL(item.target).host, status, error }, "a callback was not taken");
}

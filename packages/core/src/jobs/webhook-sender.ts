/**
 * Tells others what they asked to be told: sends what is in the outbox, again and again until it is taken or it makes no
 * sense any more. A receiver may be told twice, if this process ends between sending and writing that it did.
 */
import { postOutside } from "../network/post.ts";
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
  /** There may be something to send. */
  wake(): void;
  stop(): Promise<void>;
}

export interface CourierOptions {
  readonly store: Store;
  readonly log: Log;
  /** Hosts inside the own network that may be called. */
  readonly allowedHosts: readonly string[];
  /** What to send; `later` while it is not known yet, undefined when there is nothing to tell any more. */
  readonly compose: (orgId: string, item: OutboxItem) => Promise<JsonObject | "later" | undefined>;
  /** Pauses before the second try, the third, and so on: after the last there is no other. */
  readonly pausesMs?: readonly number[];
  readonly pollMs?: number;
}

const defaultPausesMs = [5_000, 30_000, 120_000, 600_000, 3_600_000];
const defaultPollMs = 10_000;
const itemsAtOnce = 20;
/** How long whoever has claimed an item may take before another process tries. */
const claimMs = 60_000;

export function createWebhookSender(options: CourierOptions): WebhookSender {
  const { store, log, pollMs = defaultPollMs, pausesMs = defaultPausesMs } = options;
  let isReclaimed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let isStopped = true;
  let isWoken = false;

  const complain = (error: unknown) =>
    log.error({ err: error }, "what is in the outbox could not be sent; it is tried again");

  async function sendDue(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      if (!isReclaimed) await reclaimOutbox(store, Math.max(claimMs, ...pausesMs));
      isReclaimed = true;
      const due = await listDueOutbox(store, store.due(), itemsAtOnce);
      await Promise.all(due.map(({ orgId, item }) => deliver(options, orgId, item).catch(complain)));
      if (due.length < itemsAtOnce && !isWoken) return;
    }
  }

  function wake(): void {
    isWoken = true;
    if (isStopped || round) return;
    clearTimeout(timer);
    round = sendDue()
      .catch(complain)
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

async function deliver(options: CourierOptions, orgId: string, item: OutboxItem): Promise<void> {
  const { store, compose, pollMs = defaultPollMs } = options;
  const until = store.due() + claimMs * 1000;
  if (!(await store.write(orgId, (scope) => claimOutbox(scope, item, until)))) return;
  const body = await compose(orgId, item);
  if (body === undefined) return await store.write(orgId, (scope) => dropOutbox(scope, item.id));
  if (body === "later") {
    return await store.write(orgId, (scope) => returnOutbox(scope, item, until, scope.due() + pollMs * 1000));
  }
  await keep(options, orgId, item, await send(options, item.target, JSON.stringify(body)));
}

interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
  readonly isFinal: boolean;
}

async function send({ allowedHosts }: CourierOptions, target: string, body: string): Promise<Attempt> {
  try {
    const status = await postOutside(target, body, allowedHosts);
    if (status >= 200 && status < 300) return { status, error: null, isFinal: true };
    // What the receiver will say again to the same words is not worth another try.
    const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
    return { status, error: `the receiver answered ${status}`, isFinal: !isPassing };
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error), isFinal: false };
  }
}

async function keep(options: CourierOptions, orgId: string, item: OutboxItem, attempt: Attempt): Promise<void> {
  const { store, log, pausesMs = defaultPausesMs } = options;
  const { status, error } = attempt;
  const pause = pausesMs[item.attempts];
  await store.write(orgId, async (scope) => {
    const sentAt = scope.now();
    await recordDelivery(scope, item, { sentAt, status, error });
    if (attempt.isFinal || pause === undefined) await dropOutbox(scope, item.id);
    else {
      const attempts = item.attempts + 1;
      await postponeOutbox(scope, item.id, { dueAt: scope.due() + pause * 1000, attempts, error });
    }
  });
  if (error !== null) log.warn({ target: new URL(item.target).host, status, error }, "a callback was not taken");
}

/**
 * Tells one address that steps have ended. No run waits for it: what is to be sent waits in memory, so much of it and no more,
 * and a receiver that does not answer costs a line in the log. What waits when the program is killed is lost.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Log, StepEnd } from "@memoir/core";
import {
  composeHeaders,
  composeStepMessage,
  type StepMessage,
  type StepWebhookSettings,
} from "./step-webhook-message.ts";

export interface StepWebhookLimits {
  readonly atOnce: number;
  /** Those that are to be sent again included. */
  readonly maxWaiting: number;
  readonly answerMs: number;
  /** Pauses before the second try, the third, and so on; the old form is sent once. */
  readonly pausesMs: readonly number[];
  /** How long whoever closes waits for what is left. */
  readonly drainMs: number;
}

const defaultLimits: StepWebhookLimits = {
  atOnce: 8,
  maxWaiting: 1_000,
  answerMs: 10_000,
  pausesMs: [1_000, 5_000, 30_000, 120_000],
  drainMs: 3_000,
};

interface Delivery {
  readonly message: StepMessage;
  tries: number;
}

export class StepWebhook {
  readonly #settings: StepWebhookSettings;
  readonly #log: Log;
  readonly #limits: StepWebhookLimits;
  readonly #waiting: Delivery[] = [];
  readonly #resting = new Map<Delivery, NodeJS.Timeout>();
  readonly #sending = new Set<Promise<void>>();
  readonly #giveUp = new AbortController();
  #isClosing = false;
  #dropped = 0;

  constructor(settings: StepWebhookSettings, log: Log, limits: Partial<StepWebhookLimits> = {}) {
    this.#settings = settings;
    this.#log = log;
    this.#limits = { ...defaultLimits, ...limits };
  }

  tell(step: StepEnd): void {
    if (this.#isClosing || this.#waiting.length + this.#resting.size >= this.#limits.maxWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push({ message: composeStepMessage(this.#settings.version, step), tries: 0 });
    this.#sendNext();
  }

  /** What waits for another try is tried once more; what nobody has taken in time is given up. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const [delivery, timer] of this.#resting) {
      clearTimeout(timer);
      this.#waiting.push(delivery);
    }
    this.#resting.clear();
    this.#sendNext();
    await Promise.race([this.#finish(), sleep(this.#limits.drainMs, undefined, { ref: false })]);
    this.#dropped += this.#waiting.splice(0).length;
    this.#giveUp.abort();
    await this.#finish();
    this.#sayDropped();
  }

  async #finish(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  #sendNext(): void {
    while (this.#sending.size < this.#limits.atOnce) {
      const delivery = this.#waiting.shift();
      if (!delivery) return;
      const work = this.#deliver(delivery).finally(() => {
        this.#sending.delete(work);
        this.#sayDropped();
        this.#sendNext();
      });
      this.#sending.add(work);
    }
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const fault = await this.#post(delivery.message);
    if (!fault) return;
    const pause = this.#isClosing || fault.isFinal ? undefined : this.#findPause(delivery.tries++);
    const { host } = new URL(this.#settings.url);
    const fields = { target: host, event: delivery.message.id, error: fault.text };
    this.#log.warn(fields, `the end of a step was not taken${pause === undefined ? "" : "; it is sent again"}`);
    if (pause !== undefined) this.#rest(delivery, pause);
  }

  /** Spread, so that a receiver that comes back does not meet all at once. */
  #findPause(tries: number): number | undefined {
    const pause = this.#settings.version === "1" ? undefined : this.#limits.pausesMs[tries];
    return pause === undefined ? undefined : pause * (0.75 + Math.random() / 2);
  }

  #rest(delivery: Delivery, pause: number): void {
    const wake = () => {
      this.#resting.delete(delivery);
      this.#waiting.push(delivery);
      this.#sendNext();
    };
    this.#resting.set(delivery, setTimeout(wake, pause).unref());
  }

  async #post(message: StepMessage): Promise<{ readonly text: string; readonly isFinal: boolean } | undefined> {
    try {
      const answer = await fetch(this.#settings.url, {
        method: "POST",
        headers: composeHeaders(this.#settings, message, Math.floor(Date.now() / 1_000)),
        body: message.body,
        redirect: "manual",
        signal: AbortSignal.any([this.#giveUp.signal, AbortSignal.timeout(this.#limits.answerMs)]),
      });
      await answer.body?.cancel();
      if (answer.ok) return undefined;
      const { status } = answer;
      // What the receiver will say again to the same words is not worth another try.
      const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
      return { text: `the receiver answered ${status}`, isFinal: !isPassing };
    } catch (error) {
      const text = this.#giveUp.signal.aborted ? "the server stopped before it was answered" : describe(error);
      return { text, isFinal: false };
    }
  }

  #sayDropped(): void {
    if (this.#dropped === 0) return;
    this.#log.warn({ dropped: this.#dropped }, "ends of steps were not told: more came than the receiver took");
    this.#dropped = 0;
  }
}

/** What fetch says first is only that it failed. */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

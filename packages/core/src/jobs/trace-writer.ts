/**
 * Writes traces, and the texts that steps name by their hashes, behind the turns that made them: compressed, some at a
 * time, in small commits. A trace is never worth a failing turn: with no database to be reached, or more of them than
 * memory is set aside for, traces are dropped and the log says so.
 */
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync } from "node:zlib";
import type { Log } from "../shared/log.ts";
import { hashContent, putContents, type StoredContent } from "../store/conversations/content.ts";
import type { Store } from "../store/engine/store.ts";
import { insertTraces, type StoredTrace } from "../store/runs/traces.ts";

const compressElsewhere = promisify(zstdCompress);
/** The fastest level: what is repeated in prompts is found by all of them. */
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** To hand less than this to another thread takes longer than to compress it: 0.08 ms for 50 KB. */
const leastElsewhere = 100_000;

async function compress(text: Uint8Array | string): Promise<Uint8Array> {
  return text.length < leastElsewhere ? zstdCompressSync(text, level) : await compressElsewhere(text, level);
}

/** A trace before it is compressed. */
export interface TraceDraft extends Omit<StoredTrace, "id" | "createdAt" | "request" | "response"> {
  readonly orgId: string;
  /** About how much memory it holds. */
  readonly size: number;
  /** Made when it is written: taking secrets out and turning requests to text is nothing a turn should wait for. */
  readonly render: () => { readonly request: Uint8Array | string; readonly response: Uint8Array | string | null };
}

export interface TraceWriterOptions {
  /** Texts are kept without traces as well. */
  readonly keepsTraces: boolean;
  readonly intervalMs?: number;
  /** What may wait to be written. */
  readonly maxWaiting?: number;
  readonly maxBytes?: number;
}

/** Texts that steps name by their hashes are stored under this type, compressed. */
export const textType = "text/plain; compression=zstd";

const maxKnown = 20_000;
/** Whoever closes does not wait longer for a database that is away. */
const timeoutMs = 5_000;
/** To pack so many, or so many bytes before they are packed, and to commit them takes a few milliseconds. */
const tracesPerCommit = 10;
const bytesPerCommit = 1_000_000;

interface Text {
  readonly orgId: string;
  readonly hash: string;
  readonly text: string;
}

type Waiting = TraceDraft & Pick<StoredTrace, "id" | "createdAt">;

export class TraceWriter {
  readonly #store: Store;
  readonly #log: Log;
  readonly #options: Required<TraceWriterOptions>;
  /** Texts that are known to be stored. */
  readonly #known = new Set<string>();
  readonly #texts = new Map<string, Text>();
  #drafts: Waiting[] = [];
  #bytes = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(store: Store, log: Log, options: TraceWriterOptions) {
    this.#store = store;
    this.#log = log;
    this.#options = { intervalMs: 1_000, maxWaiting: 400, maxBytes: 64_000_000, ...options };
  }

  /** The text's hash. It is stored under it unless that is known to have happened. */
  keepText(orgId: string, text: string): string {
    const hash = hashContent(textType, text);
    const key = `${orgId}/${hash}`;
    if (this.#known.has(key) || this.#texts.has(key) || this.#texts.size >= this.#options.maxWaiting) return hash;
    this.#texts.set(key, { orgId, hash, text });
    this.#wake();
    return hash;
  }

  keep(draft: TraceDraft): void {
    const { keepsTraces, maxWaiting, maxBytes } = this.#options;
    if (!keepsTraces) return;
    if (this.#drafts.length >= maxWaiting || this.#bytes + draft.size > maxBytes) {
      this.#dropped++;
      return;
    }
    this.#bytes += draft.size;
    this.#drafts.push({ ...draft, id: this.#store.newId("provider_trace"), createdAt: this.#store.now() });
    if (this.#drafts.length === Math.ceil(maxWaiting / 4)) void this.flush();
    else this.#wake();
  }

  /** Answers when everything kept so far is stored, or given up. Never fails. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work = this.#work.then(() => this.#writeAll());
    return this.#work;
  }

  async close(): Promise<void> {
    await Promise.race([this.flush(), sleep(timeoutMs, undefined, { ref: false })]);
  }

  #wake(): void {
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.intervalMs).unref();
  }

  async #writeAll(): Promise<void> {
    const batch = this.#drafts;
    this.#drafts = [];
    this.#bytes = 0;
    if (this.#dropped > 0) {
      this.#log.warn({ dropped: this.#dropped }, "traces were dropped: more came than could be written");
    }
    this.#dropped = 0;
    const texts = Map.groupBy(this.#texts, ([, { orgId }]) => orgId);
    const drafts = Map.groupBy(batch, ({ orgId }) => orgId);
    for (const orgId of new Set([...texts.keys(), ...drafts.keys()])) {
      await this.#writeTexts(orgId, texts.get(orgId) ?? []);
      await this.#writeTraces(orgId, drafts.get(orgId) ?? []);
    }
  }

  async #writeTexts(orgId: string, waiting: readonly [string, Text][]): Promise<void> {
    try {
      const contents: StoredContent[] = [];
      for (const [, { hash, text }] of waiting) {
        contents.push({ hash, mediaType: textType, body: await compress(text) });
      }
      if (contents.length > 0) await this.#store.write(orgId, (scope) => putContents(scope, contents));
      if (this.#known.size > maxKnown) this.#known.clear();
      for (const [key] of waiting) {
        this.#texts.delete(key);
        this.#known.add(key);
      }
    } catch (error) {
      // They stay, and are tried again with the next.
      this.#log.warn({ err: error, texts: waiting.length }, "texts of steps could not be stored yet");
    }
  }

  async #writeTraces(orgId: string, batch: readonly Waiting[]): Promise<void> {
    try {
      for (const some of inPieces(batch)) {
        const traces: StoredTrace[] = [];
        for (const draft of some) traces.push(await pack(draft));
        await this.#store.write(orgId, (scope) => insertTraces(scope, traces));
        await breathe();
      }
    } catch (error) {
      this.#log.warn({ err: error, traces: batch.length }, "traces could not be stored and are dropped");
    }
  }
}

function* inPieces(batch: readonly Waiting[]): Generator<Waiting[]> {
  let piece: Waiting[] = [];
  let size = 0;
  for (const draft of batch) {
    if (piece.length >= tracesPerCommit || (piece.length > 0 && size + draft.size > bytesPerCommit)) {
      yield piece;
      piece = [];
      size = 0;
    }
    piece.push(draft);
    size += draft.size;
  }
  if (piece.length > 0) yield piece;
}

async function pack({ orgId: _, size: __, render, ...draft }: Waiting): Promise<StoredTrace> {
  const { request, response } = render();
  return {
    ...draft,
    request: await compress(request),
    response: response === null ? null : await compress(response),
  };
}

/**
 * A record of the prompt of a step, small enough to store with each: texts by hash, messages by position. Rows are
 * append-only, so a few numbers identify thousands of them.
 */
export interface PromptSnapshot {
  readonly systemHash: string;
  readonly toolsHash: string;
  /** Hash of the bytes that were sent, or of the request's parts for a model that is not called over HTTP. */
  readonly requestHash: string;
  readonly trail: ContextRange;
}

export interface ContextRange {
  /** `wire`: hash of an HTTP request; `request`: no HTTP request was made. */
  readonly form: "wire" | "request";
  /** Hash of the request without its texts: model settings and forced tool. */
  readonly settingsHash: string;
  readonly summaryMessageId: string | null;
  /** Position of the first entry, and the number of entries. */
  readonly entryWatermark: number;
  readonly entries: number;
  /** First and last sequence number of the conversation's messages. */
  readonly watermark: number;
  readonly lastSeq: number;
  /** Number of messages of the run after those. */
  readonly added: number;
  readonly timezone: string;
  /** Character limit that tool results were truncated to. */
  readonly returnChars: number;
  /** Thoughts were put back into the arguments of calls. */
  readonly hasThoughts: boolean;
  /** Set if messages were truncated to fit: the token limit, and the protocol whose tokens were counted. */
  readonly squeezed?: { readonly tokens: number; readonly endpointKind: string };
  /** Content omitted because the provider rejected the request with it. */
  readonly without?: Omission;
}

/** `images`: replaced by a note; `history`: only the messages being answered were sent. */
export type Omission = "images" | "history";

/** What was observed of a call, as traces to be written later. */
import type { TraceDraft } from "../../jobs/trace-writer.ts";
import type { Exchange } from "../../model/exchange.ts";
import type { Asked } from "../../model/observe.ts";
import { withoutSecrets, withoutSecretText } from "../../model/secrets.ts";
import type { TraceDetail } from "../../store/runs/traces.ts";
import type { Drive } from "../commit.ts";
import { toRequestText } from "./request-text.ts";

/** Longer requests to models without HTTP are not written out: they can be made again from the rows, to the byte. */
const maxMessages = 200;

/** Whose call it was; not every call belongs to a run. */
export interface TraceOwner {
  readonly loop: Drive["loop"];
  readonly orgId: string;
  readonly run: { readonly id: string | null; readonly agentId: string; readonly createdBy: string | null };
}

export function keepTraces(
  drive: TraceOwner,
  stepId: string,
  purpose: TraceDetail["purpose"],
  calls: readonly Asked[],
): void {
  for (const asked of calls) {
    for (const exchange of asked.exchanges) {
      drive.loop.traces.keep({ ...ownerOf(drive, stepId), ...draftExchange(asked, exchange, purpose) });
    }
    if (asked.exchanges.length === 0 && asked.request.messages.length <= maxMessages) {
      drive.loop.traces.keep({ ...ownerOf(drive, stepId), ...draftRequest(asked, purpose) });
    }
  }
}

type Owner = Pick<TraceDraft, "orgId" | "stepId" | "runId" | "agentId" | "createdBy">;
type Draft = Omit<TraceDraft, keyof Owner>;

function ownerOf({ orgId, run }: TraceOwner, stepId: string): Owner {
  return { orgId, stepId, runId: run.id, agentId: run.agentId, createdBy: run.createdBy };
}

function draftExchange({ request }: Asked, exchange: Exchange, purpose: TraceDetail["purpose"]): Draft {
  const { secrets, error } = exchange;
  return {
    kind: "exchange",
    size: exchange.size,
    detail: {
      purpose,
      provider: request.config.provider,
      model: request.config.model,
      url: exchange.url,
      status: exchange.status ?? null,
      startedAt: exchange.startedAt * 1_000,
      firstByteMs: exchange.firstByteMs ?? null,
      durationMs: exchange.endedMs ?? null,
      error: error === undefined ? null : withoutSecretText(error, secrets),
      isCut: exchange.isCut,
    },
    render: () => ({
      request: withoutSecrets(exchange.request, secrets),
      response: exchange.response && withoutSecrets(exchange.response, secrets),
    }),
  };
}

/** About what a message takes in memory that only a trace still holds on to. */
const bytesPerMessage = 16;

function draftRequest(asked: Asked, purpose: TraceDetail["purpose"]): Draft {
  const { request, reply, startedAt, endedAt, error } = asked;
  return {
    kind: "request",
    size: request.messages.length * bytesPerMessage,
    detail: {
      purpose,
      provider: request.config.provider,
      model: request.config.model,
      url: null,
      status: null,
      startedAt: startedAt * 1_000,
      firstByteMs: null,
      durationMs: endedAt === undefined ? null : endedAt - startedAt,
      error: error ?? null,
      isCut: false,
    },
    render: () => ({ request: toRequestText(request), response: reply ? JSON.stringify(reply) : null }),
  };
}

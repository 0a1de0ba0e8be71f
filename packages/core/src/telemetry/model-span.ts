/** The span of one model call, including retries. */
import { context, SpanKind, type Tracer, trace } from "@opentelemetry/api";
import type { ModelConfig } from "../shared/model-config.ts";
import { describeModel, describeOutcome, describeSettings } from "./gen-ai.ts";
import type { Instruments } from "./instruments.ts";
import { cancelledCode, codeOf, errorLabel, noteError } from "./span-errors.ts";
import type { ModelSpan } from "./telemetry.ts";

export function openModelSpan(
  tracer: Tracer,
  { firstToken, modelCall, tokens }: Instruments,
  config: ModelConfig,
): ModelSpan {
  const labels = describeModel(config);
  const attributes = { "gen_ai.operation.name": "chat", ...labels, ...describeSettings(config) };
  const parent = context.active();
  const span = tracer.startSpan(`chat ${config.model}`, { kind: SpanKind.CLIENT, attributes }, parent);
  const place = trace.setSpan(parent, span);
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  return {
    begin() {
      const waited = seconds();
      span.setAttribute("memoir.model.first_token", waited);
      firstToken.record(waited, labels, place);
    },
    end(outcome) {
      const { reply, error, isCancelled } = outcome;
      const code = reply ? undefined : isCancelled ? cancelledCode : describeFailure(error);
      span.setAttributes(describeOutcome(outcome));
      noteError(span, code);
      span.end();
      modelCall.record(seconds(), { ...labels, ...errorLabel(code) }, place);
      if (!reply) return;
      tokens.add(reply.usage.promptTokens, { ...labels, "gen_ai.token.type": "input" }, place);
      tokens.add(reply.usage.completionTokens, { ...labels, "gen_ai.token.type": "output" }, place);
    },
  };
}

/** Without an error the stream ended before the reply was complete. */
function describeFailure(error: unknown): string {
  return error === undefined ? "llm-error" : codeOf(error);
}

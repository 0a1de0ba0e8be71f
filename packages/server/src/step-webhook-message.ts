/**
 * What is sent when a step has ended: the one field of the old server, or a form of our own that says what happened and is
 * signed as the Standard Webhooks specification has it.
 */
import { createHmac } from "node:crypto";
import { MemoirError, type StepEnd } from "@memoir/core";
import type { Environment, ServerConfig } from "./config/settings.ts";

export interface StepWebhookSettings {
  readonly url: string;
  readonly version: "1" | "2";
  /** Shown to the receiver as it is. */
  readonly key: string | undefined;
  /** Proves who sent it, and is never sent. */
  readonly secret: string | undefined;
}

export interface StepMessage {
  /** The same however often it is sent. */
  readonly id: string;
  readonly body: string;
}

type Chosen = Pick<ServerConfig, "stepWebhook" | "stepWebhookVersion" | "stepWebhookSecret">;

/** Undefined where nobody wants to be told. */
export function readStepWebhook(
  { stepWebhook: url, stepWebhookVersion: version, stepWebhookSecret }: Chosen,
  { STEP_COMPLETE_KEY }: Environment,
): StepWebhookSettings | undefined {
  if (url === undefined) return undefined;
  const input = STEP_COMPLETE_KEY?.trim() || undefined;
  if (input !== undefined && !/^[\x20-\x7e]+$/.test(input)) {
    throw new MemoirError("invalid-argument", "STEP_COMPLETE_KEY must be of characters that a header can hold.");
  }
  if (version === "1" && stepWebhookSecret !== undefined) {
    throw new MemoirError(
      "invalid-argument",
      "MEMOIR_STEP_WEBHOOK_SECRET signs nothing in version 1: set MEMOIR_STEP_WEBHOOK_VERSION=2, or leave the secret out.",
    );
  }
  if (version === "1") return { url, version, key: input, secret: undefined };
  // What signs must not travel beside what it signed.
  const key = stepWebhookSecret === undefined ? undefined : input;
  const secret = stepWebhookSecret ?? input;
  if (secret !== undefined) return { url, version, key, secret };
  throw new MemoirError(
    "invalid-argument",
    "MEMOIR_STEP_WEBHOOK_VERSION=2 signs what it sends: set MEMOIR_STEP_WEBHOOK_SECRET, or STEP_COMPLETE_KEY.",
  );
}

const types: Readonly<Record<StepEnd["status"], string>> = {
  success: "step.completed",
  failed: "step.failed",
  cancelled: "step.cancelled",
};

export function composeStepMessage(version: "1" | "2", step: StepEnd): StepMessage {
  const id = step.id.replace(/^step-/, "event-");
  if (version === "1") return { id, body: JSON.stringify({ step_id: step.id }) };
  const body = {
    id,
    type: types[step.status],
    created_at: new Date(step.endedAt / 1_000).toISOString(),
    step_id: step.id,
    status: step.status,
    agent_id: step.agentId,
    run_id: step.runId,
    organization_id: step.orgId,
  };
  return { id, body: JSON.stringify(body) };
}

/** `seconds`: when it is sent, since 1970. */
export function composeHeaders(
  { key, secret }: StepWebhookSettings,
  { id, body }: StepMessage,
  seconds: number,
): Record<string, string> {
  return {
    "Content-Type": "application/json",
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    ...(secret === undefined
      ? {}
      : {
          "webhook-id": id,
          "webhook-timestamp": String(seconds),
          "webhook-signature": `v1,${sign(secret, `${id}.${seconds}.${body}`)}`,
        }),
  };
}

const secretPrefix = "whsec_";

function sign(secret: string, text: string): string {
  const isCoded = secret.startsWith(secretPrefix);
  const bytes = isCoded ? Buffer.from(secret.slice(secretPrefix.length), "base64") : secret;
  return createHmac("sha256", bytes).update(text).digest("base64");
}

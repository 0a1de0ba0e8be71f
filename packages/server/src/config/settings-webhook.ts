/** The webhook that is sent the end of every step. */
import { oneOf, parseSecret, parseWebhook } from "./parsers.ts";
import { defineSetting } from "./setting.ts";

export const webhookSettings = {
  stepWebhook: defineSetting({
    variables: ["MEMOIR_STEP_WEBHOOK", "STEP_COMPLETE_WEBHOOK"],
    help: "address that is told of the end of every step",
    parse: parseWebhook,
  }),
  stepWebhookVersion: defineSetting({
    variables: ["MEMOIR_STEP_WEBHOOK_VERSION"],
    help: "1: the step's id, sent once; 2: what happened, signed and sent again",
    default: "1",
    parse: oneOf("1", "2"),
  }),
  stepWebhookSecret: defineSetting({
    variables: ["MEMOIR_STEP_WEBHOOK_SECRET"],
    help: "signs what is sent in version 2",
    defaultText: "STEP_COMPLETE_KEY",
    parse: parseSecret,
  }),
};

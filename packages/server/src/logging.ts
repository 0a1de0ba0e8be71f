/** Logs are JSON lines on standard error. Secrets that might stand in a logged object are blotted out. */
import pino, { type Logger } from "pino";
import type { ServerConfig } from "./config/settings.ts";

const secretNames = [
  ...["authorization", "password", "encryptionKey", "encryptionKeyOld", "formerKeys", "apiKey", "api_key", "secrets"],
  ...["tool_exec_environment_variables", "env_vars", "environment", "variables", "x-bare-password"],
  "stepWebhookSecret",
];

export function createLog(
  level: ServerConfig["log"],
  destination = pino.destination({ dest: 2, sync: false }),
): Logger {
  const paths = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  return pino({ level, base: undefined, redact: { paths, censor: "[redacted]" } }, destination);
}

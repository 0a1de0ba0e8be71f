/** Secrets at rest, and which callers the server answers. */
import { defaultRequestTimeout } from "../limits.ts";
import { parseCount, parseLines, parseList, parseSeconds, parseText } from "./parsers.ts";
import { defineSetting, defineSwitch } from "./setting.ts";

export const accessSettings = {
  encryptionKey: defineSetting({
    variables: ["MEMOIR_ENCRYPTION_KEY", "LETTA_ENCRYPTION_KEY"],
    help: "encrypts secrets; required with PostgreSQL",
    parse: parseText,
    toMemoir: (encryptionKey) => ({ encryptionKey }),
  }),
  encryptionKeyOld: defineSetting({
    variables: ["MEMOIR_ENCRYPTION_KEY_OLD"],
    help: "the key before that: what it encrypted is encrypted with the new one",
    default: "",
    parse: parseLines,
    toMemoir: (formerKeys) => ({ formerKeys }),
  }),
  showSecrets: defineSwitch({
    variables: ["MEMOIR_SHOW_SECRETS"],
    help: "let clients read values of secrets back",
    toApp: (showsSecrets) => ({ showsSecrets }),
  }),
  password: defineSetting({
    variables: ["MEMOIR_PASSWORD", "LETTA_SERVER_PASSWORD"],
    help: "callers must send it: Authorization: Bearer <password>",
    parse: parseText,
  }),
  secure: defineSwitch({
    variables: ["MEMOIR_SECURE", "LETTA_SERVER_SECURE"],
    help: "ask for a password; generates and prints one if none is set",
  }),
  insecure: defineSwitch({
    variables: ["MEMOIR_INSECURE"],
    help: "listen beyond this machine without a password",
  }),
  rateLimit: defineSetting({
    variables: ["MEMOIR_RATE_LIMIT"],
    help: "most requests a minute for each key",
    defaultText: "no limit",
    parse: parseCount,
    toApp: (rateLimit) => ({ rateLimit }),
  }),
  requestTimeout: defineSetting({
    variables: ["MEMOIR_REQUEST_TIMEOUT"],
    help: "seconds within which a request must arrive, its body included",
    libraryDefault: defaultRequestTimeout,
    parse: parseSeconds,
    toApp: (requestTimeout) => ({ requestTimeout }),
  }),
  hosts: defineSetting({
    variables: ["MEMOIR_HOSTS"],
    help: "names by which browsers may call this server besides localhost, comma separated",
    default: "",
    parse: parseList,
  }),
  origins: defineSetting({
    variables: ["MEMOIR_ORIGINS", "ACCEPTABLE_ORIGINS"],
    help: "web pages that may call this server, comma separated",
    default: "",
    parse: parseList,
    toApp: (allowedOrigins) => ({ allowedOrigins }),
  }),
};

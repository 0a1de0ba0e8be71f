/**
 * Turns the output of pip or npm into one sentence about the cause; index addresses and other operator settings are
 * redacted.
 */
import { MemoirError } from "../../shared/errors.ts";
import type { Requirements } from "./requirements.ts";

/** Carries the last lines of the installer as detail. */
export class InstallFault extends MemoirError {
  readonly lines: readonly string[];

  constructor(message: string, lines: readonly string[] = []) {
    super("unavailable", message);
    this.name = "InstallFault";
    this.lines = lines;
  }
}

const keptLines = 20;

interface Pattern {
  readonly pattern: RegExp;
  readonly say: (match: RegExpMatchArray, title: string) => string;
}

const patterns: readonly Pattern[] = [
  {
    pattern: /No space left on device|ENOSPC/,
    say: () => "there is no room left on the disk for the packages",
  },
  {
    pattern:
      /Failed to establish a new connection|Name or service not known|Temporary failure in name resolution|ConnectTimeout|ProxyError|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/,
    say: (_, title) =>
      `the package index cannot be reached from this machine: connect it, or let the operator name one that ${title} can reach`,
  },
  {
    pattern: /CERTIFICATE_VERIFY_FAILED|SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT/,
    say: () => "the certificate of the package index is not trusted on this machine",
  },
  {
    pattern: /ResolutionImpossible|ERESOLVE/,
    say: () => "the requirements exclude each other: change the versions they name",
  },
  {
    pattern: /No matching distribution found for ([^\s(]+)/,
    say: ([, name = ""]) =>
      `the package index has no ${name} that fits this Python and is ready to install: correct the name or version`,
  },
  {
    pattern: /E404|ETARGET|notarget/,
    say: ({ index = 0, input = "" }) =>
      `the package index has no ${findPackage(input.slice(index))}: correct the name or version`,
  },
  {
    pattern: /No module named pip/,
    say: () => "the Python of this machine has no pip: install it (on Debian, the package python3-pip)",
  },
];

/** The first name with a version in npm's output, such as `@scope/name@1.2.0`. */
function findPackage(text: string): string {
  return /(?<![\w.-])(?:@[\w.-]+\/)?[\w.-]+@[\w.^~<>=|*-]+/.exec(text)?.[0] ?? "such package";
}

export function describeFault(title: string, { packages }: Requirements, lines: readonly string[]): InstallFault {
  const text = lines.join("\n");
  const kept = lines.slice(-keptLines);
  for (const { pattern, say } of patterns) {
    const match = text.match(pattern);
    if (match) return new InstallFault(`${introduce(packages)}, because ${say(match, title)}.`, kept);
  }
  const last = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "nothing";
  return new InstallFault(
    `${introduce(packages)}; the last that ${title} said was: ${last.trim().slice(0, 300)}`,
    kept,
  );
}

/** The start of such a sentence. */
export function introduce(packages: readonly string[]): string {
  const shown = packages.slice(0, 3).join(", ");
  return `${shown}${packages.length > 3 ? ` and ${packages.length - 3} more` : ""} could not be installed`;
}

const shortest = 4;

/** Redacts addresses, hosts and the values of the installer's settings, except numbers and booleans. */
export function redact(line: string, settings: readonly string[]): string {
  const secrets = settings
    .filter((value) => value.length >= 2 * shortest || /[/:@]/.test(value))
    .flatMap((value) => [value, ...listParts(value)])
    .sort((one, other) => other.length - one.length);
  return secrets
    .reduce((text, secret) => text.replaceAll(secret, "[…]"), line)
    .replaceAll(/(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s'")]+/gi, "[address]")
    .replaceAll(/\bhost='[^']*', port=\d+/g, "host=[address]");
}

/** The parts of an address that may be printed separately. */
function listParts(value: string): string[] {
  const url = URL.parse(value);
  if (!url) return [];
  return [url.host, url.hostname, url.username, url.password, decodeURIComponent(url.password)].filter(
    (part) => part.length >= shortest,
  );
}

/** Finds the secrets of a request and takes them out of what is kept of it. */

const secretName = /key|token|secret|authorization|password|signature|credential/i;
/** Shorter ones would be found in any text. */
const shortest = 6;
const mask = "***";

/** The values of headers and query parameters that bear the name of a secret, and of a user in the address. */
export function findSecrets(url: string, headers: RequestInit["headers"]): string[] {
  const parsed = URL.parse(url);
  const found = [
    ...[...new Headers(headers)].filter(([name]) => secretName.test(name)).map(([, value]) => value),
    ...[...(parsed?.searchParams ?? [])].filter(([name]) => secretName.test(name)).map(([, value]) => value),
    parsed?.password ?? "",
  ];
  // "Bearer abc": the word in front is none.
  const words = found.flatMap((value) => [value, value.slice(value.lastIndexOf(" ") + 1)]);
  return [...new Set(words)].filter(({ length }) => length >= shortest);
}

export function withoutUrlSecrets(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return "";
  if (parsed.username) parsed.username = "";
  if (parsed.password) parsed.password = "";
  for (const name of new Set(parsed.searchParams.keys())) {
    if (secretName.test(name)) parsed.searchParams.set(name, mask);
  }
  return parsed.toString();
}

export function withoutSecrets(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  let clean = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const secret of secrets) {
    if (!clean.includes(secret)) continue;
    // Latin-1 gives every byte back as it was.
    const hidden = Buffer.from(secret).toString("latin1");
    clean = Buffer.from(clean.toString("latin1").replaceAll(hidden, mask), "latin1");
  }
  return clean;
}

export function withoutSecretText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, mask), text);
}

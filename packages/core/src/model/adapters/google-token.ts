/**
 * Tokens of Google Cloud, from the credentials of a service account, from those that `gcloud auth application-default
 * login` leaves, or from the machine itself if it is Google's. A token is kept until shortly before it ends.
 */
import { createSign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { MemoirError } from "../../shared/errors.ts";
import { toRecord } from "./fields.ts";
import { HttpFailure } from "./http.ts";

export interface TokenSource {
  getToken(signal: AbortSignal): Promise<string>;
}

/** Always this one, whatever a file of credentials says: users may store such files. */
const tokenUrl = "https://oauth2.googleapis.com/token";
const machineUrl = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token";
const scope = "https://www.googleapis.com/auth/cloud-platform";
const spareMs = 60_000;

/** `given`: credentials as JSON, or a token; empty for those of the machine. */
export function createTokenSource(input: string, fetch: typeof globalThis.fetch, now = Date.now): TokenSource {
  let kept: { readonly token: string; readonly until: number } | undefined;
  return {
    async getToken(signal) {
      if (kept && kept.until > now()) return kept.token;
      if (input !== "" && !input.trimStart().startsWith("{")) return input;
      const request = await toTokenRequest(input, now());
      const response = await fetch(request.url, { ...request.init, signal });
      const text = await response.text();
      if (!response.ok) throw new HttpFailure(response.status, Object.fromEntries(response.headers), text);
      const { access_token: token, expires_in: seconds } = toRecord(JSON.parse(text));
      if (typeof token !== "string") throw refuse("Google gave no token for these credentials");
      kept = { token, until: now() + Number(seconds ?? 0) * 1_000 - spareMs };
      return token;
    },
  };
}

interface TokenRequest {
  readonly url: string;
  readonly init: RequestInit;
}

async function toTokenRequest(input: string, now: number): Promise<TokenRequest> {
  const text = input === "" ? await findDefault() : input;
  if (text === undefined) return { url: machineUrl, init: { headers: { "metadata-flavor": "Google" } } };
  const credentials = parse(text);
  const { type, client_id, client_secret, refresh_token } = credentials;
  switch (type) {
    case "service_account":
      return toForm({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: signClaim(credentials, now),
      });
    case "authorized_user":
      return toForm({ grant_type: "refresh_token", client_id, client_secret, refresh_token });
    default:
      throw refuse(`credentials of the type "${String(type)}" are not known: use those of a service account`);
  }
}

function toForm(fields: Readonly<Record<string, unknown>>): TokenRequest {
  const body = new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [name, String(value)] as [string, string]),
  );
  return { url: tokenUrl, init: { method: "POST", body } };
}

/** Where Google's own tools leave the credentials of a person. */
async function findDefault(): Promise<string | undefined> {
  const file = join(homedir(), ".config", "gcloud", "application_default_credentials.json");
  return await readFile(file, "utf8").catch(() => undefined);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return toRecord(JSON.parse(text));
  } catch {
    throw refuse("the credentials of Google Cloud are no JSON");
  }
}

function signClaim({ client_email, private_key }: Readonly<Record<string, unknown>>, now: number): string {
  const issued = Math.floor(now / 1_000);
  const claim = { iss: client_email, scope, aud: tokenUrl, iat: issued, exp: issued + 3_600 };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const content = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claim)}`;
  try {
    return `${content}.${createSign("RSA-SHA256").update(content).sign(String(private_key), "base64url")}`;
  } catch {
    throw refuse("the private key in the credentials of Google Cloud cannot be read");
  }
}

function refuse(message: string): MemoirError {
  return new MemoirError("llm-authentication", message, { details: { provider: "google_vertex", isRetryable: false } });
}

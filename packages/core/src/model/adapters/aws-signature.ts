/** Signs a request to AWS with a key (Signature Version 4). */
import { createHash, createHmac } from "node:crypto";

export interface AwsKey {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  readonly service: string;
}

export interface AwsRequest {
  readonly url: string;
  /** All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The headers of a POST, with those that say who asks. */
export function signPost(request: AwsRequest, key: AwsKey, at: Date): Record<string, string> {
  return signRequest("POST", request, key, at);
}

export function signRequest(
  method: "GET" | "POST",
  { url, headers, body }: AwsRequest,
  key: AwsKey,
  at: Date,
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url);
  const time = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const area = `${day}/${key.region}/${key.service}/aws4_request`;
  const sent: Record<string, string> = { ...headers, "x-amz-date": time };
  const lines = Object.entries({ ...sent, host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/\s+/g, " ")] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const names = lines.map(([name]) => name).join(";");
  const canonical = [
    method,
    pathname.split("/").map(encode).join("/"),
    [...searchParams]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join("&"),
    ...lines.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    digest(body),
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, area, digest(canonical)].join("\n");
  const signing = [day, key.region, key.service, "aws4_request"].reduce<Buffer | string>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${key.secretKey}`,
  );
  const signature = createHmac("sha256", signing).update(text).digest("hex");
  const credential = `Credential=${key.accessKey}/${area}`;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A path is encoded once more than it is sent. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

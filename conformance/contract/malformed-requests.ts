/**
 * Makes requests that are wrong in many ways, out of an OpenAPI document and a seed. Most of each request is right, so
 * that the wrong part gets past the first check and reaches the code behind it.
 */
export interface OddRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Rows that exist, by the prefix of their ids. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1; the generator known as mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<const T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/** Whatever the requests set going, nothing is asked of anyone outside. */
export const demoModel = "memoir/demo";

const unknownUuid = "00000000-0000-4000-8000-00000000dead";
const mega = "m".repeat(1_048_576);

const oddTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udfff",
  "NaN",
  "Infinity",
  "null",
  "true",
  "[object Object]",
  "__proto__",
  "constructor",
  "toString",
  "' OR 1=1; --",
  'a"b\\c',
  "%",
  "%_\\",
  "{{7*7}}",
  "../../../etc/passwd",
  "a/b",
  "\r\nX-Injected: yes",
  "\u202e\u200b\ufeff",
  "💥".repeat(200),
  "é".normalize("NFD"),
  "l".repeat(5000),
  "9".repeat(400),
  "2026-13-45T99:99:99Z",
  "+275760-09-13T00:00:00Z",
  "-271821-04-20T00:00:00Z",
  `agent-${unknownUuid}`,
  `block-${unknownUuid}`,
  "agent-00000000-0000-1000-8000-000000000000",
  "memoir/demo",
  "openai/",
  "/",
];

const oddValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  0.1,
  2_147_483_647,
  2_147_483_648,
  -2_147_483_649,
  2 ** 53,
  1e21,
  1e308,
  -1e308,
  5e-324,
  [],
  [[]],
  [null],
  {},
  { "": "" },
  { "a\u0000b": "\ud800" },
  { ["__proto__"]: { admin: true } },
  { constructor: { prototype: { admin: true } } },
  { length: 1e9 },
  { toString: 1, valueOf: null, toJSON: "x" },
];

/** One wrong request. The same seed and number make the same request over the same rows. */
export function makeRequest(document: Document, known: KnownIds, seed: number, number: number): OddRequest {
  const dice = new Dice(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const maker = new RequestMaker(document, known, dice);
  return maker.make();
}

type Choice = { readonly method: string; readonly operation: Operation };

/** Every operation; those that take a body several times, because there is more to get wrong. */
function listOperations({ paths }: Document): (Choice & { readonly template: string })[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Array.from({ length: operation.requestBody ? 4 : 1 }, () => ({ template, method, operation })),
    ),
  );
}

class RequestMaker {
  readonly #document: Document;
  readonly #known: KnownIds;
  readonly #dice: Dice;

  constructor(document: Document, known: KnownIds, dice: Dice) {
    this.#document = document;
    this.#known = known;
    this.#dice = dice;
  }

  make(): OddRequest {
    const dice = this.#dice;
    const { template, method, operation } = dice.pick(listOperations(this.#document));
    const schema = operation.requestBody?.content["application/json"]?.schema;
    // Where there is a body, it is the likeliest place for trouble.
    const flaws = new Set<string>([
      schema && dice.chance(0.75) ? "body" : dice.pick(["path", "query", "headers", "body"]),
    ]);
    if (dice.chance(0.25)) flaws.add(dice.pick(["path", "query", "headers", "method", "text"]));
    const path = this.#path(template, { method, operation }, flaws) + this.#query(operation, flaws.has("query"));
    const body = this.#body(schema, flaws);
    return {
      method: flaws.has("method") ? this.#method() : method.toUpperCase(),
      path: path.slice(0, 60_000),
      headers: this.#headers(body !== undefined, flaws.has("headers")),
      body,
    };
  }

  #method(): string {
    return this.#dice.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND", "QUERY"]);
  }

  #path(template: string, { method, operation }: Choice, flaws: ReadonlySet<string>): string {
    const dice = this.#dice;
    const isOdd = flaws.has("path");
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const prefix = /^(\w+)_id$/.exec(name)?.[1];
      if (isOdd && dice.chance(0.6)) return this.#pathPart();
      // Rows that are gone teach little, so few are deleted.
      return prefix ? this.#id(prefix, method === "delete" ? 0.15 : 0.9) : dice.pick(["human", "persona", "nope"]);
    });
    if (isOdd && (operation.parameters?.every((parameter) => parameter.in !== "path") || dice.chance(0.2))) {
      return dice.pick([
        `${path}${this.#pathPart()}`,
        path.replace("/v1/", "/latest/"),
        path.replace("/v1/", "/v1//"),
        path.replace("/v1", "/V1"),
        `${path};a=b`,
        `${path}%2f..%2f`,
        `/${path}`,
        `${path}/`,
        `${path}//`,
        `http://elsewhere.example${path}`,
        "*",
        "/%",
        "/v1/%c0%ae%c0%ae/",
      ]);
    }
    return path;
  }

  #pathPart(): string {
    const dice = this.#dice;
    return dice.pick([
      () => encodeURIComponent(dice.pick(oddTexts).toWellFormed()),
      () => "%00",
      () => "%ff%fe",
      () => "%",
      () => "%zz",
      () => "..",
      () => "../../v1/agents/",
      () => ".%2e/%2e%2e/",
      () => "%2e%2e%2fetc%2fpasswd",
      () => "\u00e9\u00ff",
      () => "x".repeat(dice.pick([300, 1999, 2001, 9000, 20_000])),
      () => "agent-00000000-0000-4000-8000-00000000dea",
      () => "agent-00000000-0000-4000-8000-00000000DEAD",
      () => "count",
      () => "__proto__",
      () => "-1",
      () => "",
    ])();
  }

  /** By what a parameter is called, which for conversations is not how their ids begin. */
  #id(name: string, chance = 0.9): string {
    const prefix = name === "conversation" ? "conv" : name;
    const existing = this.#known[prefix] ?? [];
    return existing.length > 0 && this.#dice.chance(chance) ? this.#dice.pick(existing) : `${prefix}-${unknownUuid}`;
  }

  #query(operation: Operation, isOdd: boolean): string {
    const dice = this.#dice;
    const named = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
    const chosen = named.filter(() => dice.chance(isOdd ? 0.35 : 0.12));
    const pairs = chosen.flatMap(({ name, schema }) => {
      const value = isOdd && dice.chance(0.7) ? undefined : this.#sample(schema, name);
      const values = Array.isArray(value) ? value : [value ?? dice.pick(oddTexts)];
      return values.map((each) => `${name}=${encodeURIComponent(String(each).toWellFormed())}`);
    });
    if (isOdd) pairs.push(...this.#oddPairs(chosen[0]?.name ?? "limit"));
    return pairs.length > 0 ? `?${pairs.join("&")}` : "";
  }

  #oddPairs(name: string): string[] {
    const dice = this.#dice;
    return dice.pick([
      () => [],
      () => [`${name}=1`, `${name}=2`, `${name}=`],
      () => [`${name}[]=1`, `${name}[a][b]=2`, `${name}.x=3`],
      () => [`${name}`],
      () => [`=${name}`, "=", "&&"],
      () => ["%", "%zz=%ff", "a=%00", "%00=%00"],
      () => ["__proto__[x]=1", "constructor=1", "hasOwnProperty=1", "__proto__=1"],
      () => Array.from({ length: dice.pick([30, 900]) }, (_, index) => `${name}=${index}`),
      () => [`${name}=${"9".repeat(400)}`],
      () => [`${name}=1e3`, "limit=-1", "limit=1e9", "limit=2147483648", "limit=0x10"],
      () => ["order=sideways", "order_by=secret", "ascending=maybe"],
      () => ["include=agent.nothing", "include=agent.blocks", "include="],
      () => [`after=${"z".repeat(4000)}`, "before=%F0%9F%92%A5"],
      () => [`after=${this.#id("agent")}`, `before=${this.#id("block")}`],
    ])();
  }

  #headers(hasBody: boolean, isOdd: boolean): Record<string, string> {
    const dice = this.#dice;
    const headers: Record<string, string> = {};
    if (hasBody) headers["content-type"] = "application/json";
    if (dice.chance(0.6)) headers["x-stainless-package-version"] = "1.12.1";
    else if (dice.chance(0.5)) headers["user-agent"] = "curl/8";
    if (!isOdd) return headers;
    const odd = dice.pick<() => Record<string, string>>([
      () => ({ "content-type": "text/plain" }),
      () => ({ "content-type": "application/x-www-form-urlencoded" }),
      () => ({ "content-type": "multipart/form-data" }),
      () => ({ "content-type": "application/json; charset=utf-16" }),
      () => ({ "content-type": "application/json;;;=" }),
      () => ({ "content-type": "application/JSON" }),
      () => ({ "content-type": "/" }),
      () => ({ "content-type": "" }),
      () => ({ "content-encoding": "gzip" }),
      () => ({ user_id: "user-1" }),
      () => ({ user_id: `user-${unknownUuid}` }),
      () => ({ user_id: "\u00ff' or 1=1" }),
      () => ({ user_id: "x".repeat(6000) }),
      () => ({ authorization: "Bearer \u00ff" }),
      () => ({ "x-stainless-package-version": "\u00ff".repeat(3000) }),
      () => ({ "x-request-id": "../../\u00e9".repeat(100) }),
      () => ({ "x-big": "x".repeat(17_000) }),
      () => ({ accept: "image/png", "accept-encoding": "nonsense", "accept-language": "\u00ff" }),
      () => ({ origin: "null", "access-control-request-method": "\u00ff" }),
      () => ({ host: "elsewhere.example:99999" }),
      () => ({ expect: "something" }),
      () => ({ range: "bytes=9-1", "if-modified-since": "never", "if-none-match": "*" }),
      () => ({ "x-http-method-override": "DELETE", "x-forwarded-for": "'", "x-forwarded-proto": "gopher" }),
      () => ({ upgrade: "websocket", "sec-websocket-key": "x" }),
    ])();
    return { ...headers, ...odd };
  }

  #body(schema: Schema | undefined, flaws: ReadonlySet<string>): Buffer | undefined {
    const dice = this.#dice;
    if (!schema && !flaws.has("body")) return undefined;
    let value = schema ? this.#sample(schema) : dice.pick(oddValues);
    if (flaws.has("body")) {
      const wounds = 1 + dice.below(3);
      for (let count = 0; count < wounds; count++) value = this.#wound(value);
    }
    const text = JSON.stringify(value) ?? "";
    return flaws.has("text") || (flaws.has("body") && dice.chance(0.15)) ? this.#spoil(text) : Buffer.from(text);
  }

  /** Something that fits the schema, more or less. */
  #sample(schema: Schema, name = "", depth = 0): unknown {
    const dice = this.#dice;
    if (schema.$ref) {
      const target = this.#document.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
      return target && depth < 12 ? this.#sample(target, name, depth + 1) : {};
    }
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return this.#sample(dice.pick(choices), name, depth + 1);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return dice.pick(schema.enum);
    switch (schema.type) {
      case "object":
        return this.#sampleObject(schema, depth);
      case "array":
        return Array.from({ length: dice.below(3) }, () => this.#sample(schema.items ?? {}, name, depth + 1));
      case "integer":
        return dice.pick([0, 1, 5, 100, 4096, 30_000]);
      case "number":
        return dice.pick([0, 0.3, 1, 2]);
      case "boolean":
        return dice.chance(0.5);
      case "null":
        return null;
      case "string":
        return this.#sampleText(name);
      default:
        return dice.pick(oddValues);
    }
  }

  #sampleObject({ properties = {}, required = [] }: Schema, depth: number): Record<string, unknown> {
    const kept = Object.entries(properties).filter(([key]) => required.includes(key) || this.#dice.chance(0.2));
    const entries = kept.map(([key, property]) => [key, this.#sample(property, key, depth + 1)]);
    const fields: Record<string, unknown> = Object.fromEntries(entries);
    // Without a model nothing of the rest would be looked at.
    if ("memory_blocks" in properties) fields.model = demoModel;
    return fields;
  }

  #sampleText(name: string): string {
    const prefix = /^(\w+)_ids?$/.exec(name)?.[1];
    if (prefix && this.#known[prefix]) return this.#id(prefix);
    if (name === "model") return demoModel;
    if (name === "embedding") return "openai/text-embedding-3-small";
    if (name === "timezone") return "Europe/Paris";
    if (name === "last_run_completion") return "2026-01-02T03:04:05Z";
    if (name === "tools") return "conversation_search";
    return this.#dice.pick(["human", "persona", "a", "b", "Ada", "x y"]);
  }

  /** Puts something odd somewhere into the value. */
  #wound(value: unknown): unknown {
    const dice = this.#dice;
    if (typeof value !== "object" || value === null || dice.chance(0.1)) return this.#odd();
    if (Array.isArray(value)) {
      if (dice.chance(0.006)) return this.#multitude(String(value[0] ?? dice.pick(["x", `block-${unknownUuid}`])));
      if (value.length === 0 || dice.chance(0.3)) return [...value, this.#odd()];
      const at = dice.below(value.length);
      return value.map((item, index) => (index === at ? this.#wound(item) : item));
    }
    const keys = Object.keys(value);
    if (keys.length === 0 || dice.chance(0.15)) return { ...value, [this.#oddKey()]: this.#odd() };
    const key = dice.pick(keys);
    if (dice.chance(0.08)) {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      return rest;
    }
    const inner = (value as Record<string, unknown>)[key];
    return { ...value, [key]: dice.chance(0.4) ? this.#odd() : this.#wound(inner) };
  }

  #oddKey(): string {
    return this.#dice.pick([
      "__proto__",
      "constructor",
      "",
      "\u0000",
      "\ud800",
      "limit",
      "id",
      "secrets",
      "k".repeat(300),
    ]);
  }

  #odd(): unknown {
    const dice = this.#dice;
    if (dice.chance(0.004)) return mega;
    // Long enough for any index, and of a kind that no compression makes short.
    if (dice.chance(0.03)) return Array.from({ length: 9000 }, () => dice.below(36).toString(36)).join("");
    if (dice.chance(0.02)) return this.#nested(dice.pick([20, 100, 127, 129, 300]));
    if (dice.chance(0.03)) return Array.from({ length: 600 }, (_, index) => dice.pick(oddTexts) + index);
    return dice.chance(0.5) ? dice.pick(oddTexts) : dice.pick(oddValues);
  }

  /** More different texts than a statement has room for. */
  #multitude(like: string): string[] {
    const prefix = like.slice(0, 50).slice(0, -8);
    return Array.from({ length: 70_000 }, (_, index) => `${prefix}${(index + 0x10000000).toString(16)}`);
  }

  #nested(depth: number): unknown {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
    return value;
  }

  /** Damages the text of a body, which mostly is no JSON afterwards. */
  #spoil(text: string): Buffer {
    const dice = this.#dice;
    const at = dice.below(text.length + 1);
    const spoilt = dice.pick<() => string | Buffer>([
      () => text.slice(0, at),
      () => text.slice(0, at) + dice.pick(oddTexts) + text.slice(at),
      () =>
        text.replace(
          /-?\d+(\.\d+)?|true|false|null/,
          dice.pick(["NaN", "Infinity", "-Infinity", "1e400", "01", "0x1F"]),
        ),
      () => text.replace("{", '{"label":"a","label":1,"value":"x","value":null,'),
      () => text.replace(/\}$/, ",}"),
      () => `\ufeff${text}`,
      () => text.replaceAll('"', "'"),
      () => `/* c */ ${text} // c`,
      () => `${text}${text}`,
      () => `${"[".repeat(dice.pick([128, 129, 100_000]))}`,
      () => `${'{"a":'.repeat(dice.pick([127, 128, 50_000]))}1`,
      () =>
        dice.pick(["", " ", "null", "0", '"text"', "[]", "[{}]", "true", "\\", '"\\ud800"', '{"\\u005f_proto__":1}']),
      () =>
        Buffer.concat([
          Buffer.from(text.slice(0, at)),
          Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
          Buffer.from(text.slice(at)),
        ]),
      () => Buffer.from(text, "utf16le"),
      () => text.replace(/"([^"]*)"/, '"\u0001\u0002\t$1\n"'),
    ])();
    return Buffer.from(spoilt as string);
  }
}

/** Bytes that are hardly HTTP, each to be sent on a connection of its own. */
export function makeBytes(known: KnownIds, seed: number, number: number): Buffer {
  const dice = new Dice(Math.imul(seed, 0x27d4eb2f) ^ Math.imul(number + 1, 0x165667b1));
  const agent = dice.pick(known.agent ?? [`agent-${unknownUuid}`]);
  const host = "Host: x\r\n";
  const json = "Content-Type: application/json\r\n";
  const noise = () => Buffer.from(Array.from({ length: 1 + dice.below(400) }, () => dice.below(256)));
  const text = dice.pick<() => string | Buffer>([
    noise,
    () => Buffer.concat([Buffer.from("GET /v1/agents/"), noise(), Buffer.from(` HTTP/1.1\r\n${host}\r\n`)]),
    () => `GET /v1/agents/\u0001\u0007 HTTP/1.1\r\n${host}\r\n`,
    () => `GET /v1/agents/ HTTP/${dice.pick(["9.9", "1.", "0.9", "2.0", "x"])}\r\n${host}\r\n`,
    () => `G\u0000T /v1/agents/ HTTP/1.1\r\n${host}\r\n`,
    () => `GET /v1/agents/ HTTP/1.1\r\n\r\n`,
    () => `GET /v1/agents/ HTTP/1.1\r\n${host}Bad Header\r\n: empty\r\n\r\n`,
    () => `GET /v1/agents/ HTTP/1.1\r\n${host}user_id: a\u0000b\r\n\r\n`,
    () => `GET /v1/agents/ HTTP/1.1\r\n${host}user_id: user-1\r\nuser_id: user-2\r\nUSER_ID: user-3\r\n\r\n`,
    () => `GET /v1/agents/ HTTP/1.1\r\n${host}${"X: y\r\n".repeat(5000)}\r\n`,
    () => `GET ${"/x".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Content-Length: 10\r\nContent-Length: 20\r\n\r\n{"label":"x"}`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Content-Length: -5\r\n\r\n{"label":"x"}`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Content-Length: 99999999999999999999\r\n\r\n{"label":"x"}`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Content-Length: 1000\r\n\r\n{"label":"x"}`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Content-Length: 5\r\n\r\n{"label":"x"}`,
    () =>
      `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n{"label":"x"}\r\n0\r\n\r\n`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{`,
    () =>
      `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"lab\r\n8\r\nel":"x"}\r\n`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n`,
    () =>
      `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\n0\r\nX: ${"t".repeat(20_000)}\r\n\r\n`,
    () => `POST /v1/blocks/ HTTP/1.1\r\n${host}${json}Expect: 100-continue\r\nContent-Length: 13\r\n\r\n`,
    () => `PATCH /v1/agents/${agent} HTTP/1.1\r\n${host}${json}Content-Length: 40\r\n\r\n{"name":"cut off`,
    () => `DELETE /v1/agents/x HTTP/1.1\r\n${host}\r\nGET /v1/blocks/ HTTP/1.1\r\n${host}\r\nGET`,
    () => `${`GET /v1/health/ HTTP/1.1\r\n${host}\r\n`.repeat(50)}`,
    () => `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`,
    () =>
      `GET /v1/agents/ HTTP/1.1\r\n${host}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x\r\n\r\n`,
    () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
    () => "",
  ])();
  return typeof text === "string" ? Buffer.from(text, "latin1") : text;
}

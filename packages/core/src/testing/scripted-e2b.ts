/**
 * E2B for tests: its two HTTP interfaces, the one that makes machines and templates and the one inside a machine, in the
 * format its package speaks. Commands run on this machine, without walls, in a folder that stands for the remote one.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface ScriptedE2b {
  readonly address: string;
  /** Method, path and body, as far as it is JSON. */
  readonly requests: { readonly line: string; readonly body: unknown; readonly key: string | undefined }[];
  /** Machines that were made and not ended. */
  readonly machines: Set<string>;
  readonly templates: Set<string>;
  close(): Promise<void>;
}

export interface ScriptedE2bOptions {
  readonly key: string;
  /** What a template's build says and whether it succeeds. */
  readonly build?: { readonly lines: readonly string[]; readonly isFailing?: boolean };
}

export async function startScriptedE2b(options: ScriptedE2bOptions): Promise<ScriptedE2b> {
  const folder = mkdtempSync(join(tmpdir(), "memoir-e2b-"));
  const script: Script = { requests: [], machines: new Set(), templates: new Set(["base"]) };
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const url = new URL(request.url ?? "", "http://scripted");
    const line = `${request.method} ${url.pathname}`;
    const input = request.headers["x-api-key"];
    const json = parse(body);
    script.requests.push({ line, body: json, key: typeof input === "string" ? input : undefined });
    if (url.pathname.startsWith("/process.Process/")) runCommand(folder, body, response);
    else if (url.pathname === "/files") await writeFiles(folder, request, body, response);
    else if (input !== options.key) answer(response, 401, { code: 401, message: "Invalid API key" });
    else answer(response, ...manage(script, options, line, url, json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...script,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Script = Omit<ScriptedE2b, "address" | "close">;
type Reply = [status: number, body?: object];

/** Machines and templates. Only one template is built at a time. */
function manage(script: Script, { build }: ScriptedE2bOptions, line: string, url: URL, json: unknown): Reply {
  const [, , second = "", third = ""] = url.pathname.split("/");
  const built = { templateID: "template-1", buildID: "build-1" };
  switch (line.replace(/(sandboxes|aliases)\/[^/]+$/, "$1/*")) {
    case "POST /v2/sandboxes":
      return makeMachine(script, json as { templateID: string });
    case "DELETE /sandboxes/*":
      script.machines.delete(second);
      return [204];
    case "GET /templates/aliases/*":
      return script.templates.has(third)
        ? [200, { templateID: "t", public: false }]
        : [404, { code: 404, message: "none" }];
    case "POST /v3/templates":
      if (!build?.isFailing) script.templates.add((json as { name: string }).name);
      return [202, { ...built, public: false, names: [], tags: [], aliases: [] }];
    case "POST /v2/templates/template-1/builds/build-1":
      return [202, {}];
    case "GET /templates/template-1/builds/build-1/status":
      return [200, { ...built, ...describeBuild(build, url.searchParams.get("logsOffset") === "0") }];
    default:
      return [404, { code: 404, message: `not scripted: ${line}` }];
  }
}

function describeBuild(build: ScriptedE2bOptions["build"], isFirst: boolean): object {
  const logEntries = isFirst ? (build?.lines ?? []).map(toEntry) : [];
  if (!build?.isFailing) return { status: "ready", logEntries, logs: [] };
  return { status: "error", logEntries, logs: [], reason: { message: "failed to run command", step: "1" } };
}

const toEntry = (message: string) => ({ timestamp: new Date(0).toISOString(), level: "info", message });

function makeMachine({ machines, templates }: Script, { templateID }: { templateID: string }): Reply {
  if (!templates.has(templateID)) return [404, { code: 404, message: `template '${templateID}' not found` }];
  const sandboxID = `machine${machines.size + 1}`;
  machines.add(sandboxID);
  return [201, { sandboxID, templateID, clientID: "c", envdVersion: "0.6.4", envdAccessToken: "inside" }];
}

function answer(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(body ? JSON.stringify(body) : undefined);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

const inside = (folder: string, text: string) =>
  text.replaceAll(/(?<![\w.])\/(tmp\/\.memoir|opt\/memoir)/g, `${folder}/$1`);

/** A form with one part for each file, named by its path. */
async function writeFiles(
  folder: string,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const headers = { "Content-Type": request.headers["content-type"] ?? "" };
  const form = await new Response(new Uint8Array(body), { headers }).formData();
  const written: object[] = [];
  for (const [, file] of form as unknown as Iterable<[string, File]>) {
    const path = inside(folder, file.name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, await file.text());
    written.push({ path: file.name, name: file.name.split("/").at(-1), type: "file" });
  }
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(written));
}

/** A stream of messages, each behind its kind and length; the last says that there are no more. */
function runCommand(folder: string, body: Buffer, response: ServerResponse): void {
  const { process: asked } = JSON.parse(body.subarray(5).toString("utf8"));
  const child = spawn(
    "/bin/bash",
    asked.args.map((word: string) => inside(folder, word)),
    { cwd: folder, env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const send = (message: object, kind = 0) => {
    const data = Buffer.from(JSON.stringify(message));
    const head = Buffer.alloc(5);
    head.writeUInt8(kind, 0);
    head.writeUInt32BE(data.length, 1);
    response.write(Buffer.concat([head, data]));
  };
  response.writeHead(200, { "Content-Type": "application/connect+json" });
  send({ event: { start: { pid: child.pid } } });
  child.stdout.on("data", (part: Buffer) => send({ event: { data: { stdout: part.toString("base64") } } }));
  child.stderr.on("data", (part: Buffer) => send({ event: { data: { stderr: part.toString("base64") } } }));
  child.on("close", (code) => {
    send({ event: { end: { exitCode: code ?? 1, exited: true, status: `exit status ${code}` } } });
    send({}, 2);
    response.end();
  });
}

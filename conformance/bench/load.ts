/**
 * The callers of a bench, in a process of their own: as many connections as asked for, each sending its next request
 * when the last is answered. They speak HTTP by hand over plain sockets because they share the cores with the server:
 * about 17 us a request, where node:http takes about 50. Started by measure.ts with a Job; prints a Result.
 */
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Request = { method: "GET" | "POST" | "PATCH"; path: string; body?: unknown };

export type Job = {
  port: number;
  connections: number;
  warmUpMs: number;
  measureMs: number;
  /** Sent in turn, over and over; a `{n}` in them counts up. */
  requests: Request[];
  /** Whose processor time to read. */
  pid: number;
};

export type Result = {
  answers: number;
  seconds: number;
  latenciesMs: { p50: number; p99: number };
  /** Of the server, while it was measured; undefined where /proc is not. */
  cpuSeconds: number | undefined;
};

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);

async function callAgainAndAgain({ port, pid, connections, warmUpMs, measureMs, requests }: Job): Promise<Result> {
  const next = createRequests(requests);
  const latencies: number[] = [];
  for (let count = 0; count < connections; count++) openConnection(port, next, (ms) => latencies.push(ms));
  await sleep(warmUpMs);
  latencies.length = 0;
  const [begun, cpu] = [performance.now(), readCpuSeconds(pid)];
  await sleep(measureMs);
  const used = readCpuSeconds(pid);
  return {
    answers: latencies.length,
    seconds: (performance.now() - begun) / 1000,
    latenciesMs: summarize(latencies),
    cpuSeconds: used === undefined || cpu === undefined ? undefined : used - cpu,
  };
}

/** One request at a time, the next when the last is answered. */
function openConnection(port: number, next: () => string, onAnswer: (ms: number) => void): void {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let head = NOTHING;
  /** Of the body, still to come; undefined while the head is. */
  let left: number | undefined;
  let sentAt = 0;
  const send = () => {
    sentAt = performance.now();
    socket.write(next());
  };
  socket.on("connect", send);
  socket.on("close", () => fail("the server closed a connection"));
  socket.on("error", (error) => fail(`the connection broke: ${error.message}`));
  socket.on("data", (part) => {
    if (left === undefined) {
      head = head.length === 0 ? part : Buffer.concat([head, part]);
      const end = head.indexOf(END_OF_HEAD);
      if (end < 0) return;
      left = end + END_OF_HEAD.length + readLength(head, end) - head.length;
    } else left -= part.length;
    if (left > 0) return;
    onAnswer(performance.now() - sentAt);
    head = NOTHING;
    left = undefined;
    send();
  });
}

/** Everything but the count is put together once. */
function createRequests(requests: readonly Request[]): () => string {
  const texts = requests.map(({ method, path, body }) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const about = text && "Content-Type: application/json\r\n";
    return { head: `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${about}Content-Length: `, body: text };
  });
  let count = 0;
  return () => {
    const text = texts[count % texts.length];
    const body = text?.body.replaceAll("{n}", String(count)) ?? "";
    count++;
    return `${text?.head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
}

function readLength(answer: Buffer, endOfHead: number): number {
  const head = answer.toString("latin1", 0, endOfHead);
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  if (!head.startsWith("HTTP/1.1 2") || length === undefined) fail(`answered ${answer.toString("utf8")}`);
  return Number(length);
}

function summarize(latencies: readonly number[]): Result["latenciesMs"] {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

const ticksPerSecond = 100;

/** User and system time of all threads of a process. */
function readCpuSeconds(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

function fail(problem: string): never {
  console.error(problem);
  process.exit(1);
}

console.log(JSON.stringify(await callAgainAndAgain(JSON.parse(process.argv[2] ?? ""))));
process.exit(0);

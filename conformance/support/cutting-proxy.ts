/** A proxy between a client and a server that breaks off the first stream of events after so many of them. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface CuttingProxy {
  readonly url: string;
  /** What was asked for so far. */
  readonly paths: readonly string[];
  /** How many streams were broken off. */
  readonly cuts: number;
}

export async function startCuttingProxy(target: string, events: number): Promise<CuttingProxy> {
  const paths: string[] = [];
  let cuts = 0;
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    paths.push(incoming.url?.split("?")[0] ?? "");
    const { method = "GET", headers } = incoming;
    const onward = request(new URL(incoming.url ?? "/", target), { method, headers }, (answer) => {
      const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      let text = "";
      answer.on("data", (part: Buffer) => {
        const begun = text.length;
        text += part.toString("latin1");
        const end = isStream && cuts === 0 ? findEnd(text, events) : undefined;
        // What came in one piece with the last event that is let through is cut off all the same.
        outgoing.write(part.subarray(0, end && end - begun));
        if (end === undefined) return;
        cuts++;
        answer.destroy();
        outgoing.socket?.destroySoon();
      });
      answer.on("end", () => outgoing.end());
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(pass);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    get cuts() {
      return cuts;
    },
  };
}

/** Where so many events of a stream end; undefined while there are fewer. */
function findEnd(text: string, events: number): number | undefined {
  const ends = [...text.matchAll(/\n\n/g)];
  const last = ends[events - 1];
  return last && last.index + 2;
}

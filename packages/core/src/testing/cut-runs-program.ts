/**
 * A process that plays a scripted run and kills itself with SIGKILL when an event arrives: `DATABASE SEED CUT [AGENT RUN]`.
 * First it reads the outcome of the run that the process before it left behind. It writes one line of JSON each for that
 * outcome and for the run it begins. Without a cut it ends in order.
 */
import { writeSync } from "node:fs";
import { beginRun, makeScript, readOutcome, startScripted, untilEvent } from "./cut-runs.ts";

const [database = "", seed = "", cut = "none", agentId = "", runId = ""] = process.argv.slice(2);
/** At once, because nothing that is buffered outlives a kill. */
const tell = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);

const memoir = await startScripted(database, makeScript(Number(seed)));
if (runId) tell({ outcome: await readOutcome(memoir, { agentId, runId }) });
if (cut !== "none") {
  const run = await beginRun(memoir);
  tell({ run });
  await untilEvent(memoir, run, Number(cut));
  process.kill(process.pid, "SIGKILL");
}
await memoir.close();

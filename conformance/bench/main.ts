/**
 * `npm run bench`, or `npm run bench -- create idle` for some of it: measures the built server on this machine and prints
 * one table. Nothing here passes or fails; a target that was missed has an exclamation mark.
 */
import { availableParallelism, cpus, loadavg } from "node:os";
import { lines } from "./lines.ts";
import { measureEcho } from "./measure.ts";
import { buildIfNeeded, listDialects, stopServices } from "./start.ts";
import { type Figure, formatTable } from "./table.ts";

const words = process.argv.slice(2);
const chosen = lines.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) {
  console.error(`no line is called ${words.join(" or ")}; there are: ${lines.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

buildIfNeeded();
console.log(
  `${availableParallelism()} cores (${cpus()[0]?.model}), Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`,
);
if (!listDialects().includes("postgres")) console.log("without PostgreSQL, which `npm test` fetches");
const figures: Figure[] = [];
for (const { name, run } of chosen) {
  console.log(`measuring ${name} …`);
  try {
    figures.push(...(await run()));
  } catch (error) {
    // The other lines are still worth having.
    console.error(`${name} could not be measured:`, error);
    process.exitCode = 1;
  }
}
if (figures.some(({ ofEcho }) => ofEcho !== undefined)) {
  figures.push({ name: "echo: bare node:http, the yardstick", value: await measureEcho(), unit: "/s" });
}
await stopServices();
console.log(`\n${formatTable(figures)}\n`);

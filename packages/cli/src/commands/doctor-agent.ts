/** `memoir doctor AGENT [--fix]`: says in plain words what is wrong with an agent, and mends it when told to. */
import { MemoirError, type RepairFinding, type RepairReport, repairAgent } from "@memoir/core";
import { readConfig } from "@memoir/server";

export async function doctorAgent(agent: string, words: readonly string[]): Promise<number> {
  const isFix = words.includes("--fix");
  if (words.includes("--json")) {
    throw new MemoirError(
      "invalid-argument",
      "memoir doctor AGENT has no --json; POST /v1/memoir/agents/{id}/repair does",
    );
  }
  const { config } = readConfig(
    words.filter((word) => word !== "--fix"),
    process.env,
  );
  const report = await repairAgent({ database: config.database, durability: config.durability, agent, isFix });
  console.log(describeReport(report, isFix));
  return report.remaining.length === 0 ? 0 : 1;
}

function describeReport({ agentId, agentName, findings, remaining }: RepairReport, isFix: boolean): string {
  const head = `Agent "${agentName}" (${agentId})`;
  if (findings.length === 0) return `${head}\n\nEverything is in order.`;
  const lines = findings.map((finding, index) => describeFinding(finding, index + 1, isFix));
  return [head, ...lines, conclude(findings.length, remaining.length, isFix)].join("\n\n");
}

function describeFinding({ problem, remedy, conversationId }: RepairFinding, number: number, isFix: boolean): string {
  const where = conversationId === null ? "" : `\n     in conversation ${conversationId}`;
  return `  ${number}. ${capitalize(problem)}.${where}\n     ${isFix ? "Mended" : "With --fix"}: ${remedy}.`;
}

function conclude(found: number, remaining: number, isFix: boolean): string {
  const things = (count: number) => (count === 1 ? "1 thing" : `${count} things`);
  if (!isFix) return `${things(found)} to mend. Nothing was changed; add --fix to mend.`;
  return remaining === 0 ? `${things(found)} mended.` : `${things(remaining)} could not be mended.`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

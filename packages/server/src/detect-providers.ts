/** Which model providers are at hand: keys in the environment, servers on this machine. */
import { findProviderRow, type ProviderRow, providerRows } from "@memoir/core";

export interface FoundProvider {
  readonly name: string;
  readonly title: string;
  readonly found: boolean;
  /** Where it was found, or how to add it. One line. */
  readonly detail: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const probeMs = 400;

/** `discover`: probe default addresses too, not only configured ones. Providers that are not suggested appear only when found. */
export async function findProviders(
  environment: Environment,
  discover = true,
  timeoutMs = probeMs,
): Promise<FoundProvider[]> {
  const servers = providerRows.filter(({ baseUrl, baseUrlVariables: [variable = ""], probePath }) => {
    return probePath !== undefined && ((discover && baseUrl !== null) || environment[variable]);
  });
  const answered = await Promise.all(servers.map((row) => findLocal(row, environment, timeoutMs)));
  const keyed = providerRows
    .filter(({ detectedBy }) => detectedBy.length > 0)
    .map((row) => findKeyed(row, environment))
    .filter(({ name, found }) => found || findProviderRow(name)?.isSuggested);
  return [...keyed, ...answered];
}

function findKeyed({ type, title, detectedBy }: ProviderRow, environment: Environment): FoundProvider {
  const complete = detectedBy.find((variables) => variables.every((variable) => environment[variable]));
  const detail = complete ? `${complete[0]} is set` : `set ${detectedBy[0]?.[0]} and start again`;
  return { name: type, title, found: complete !== undefined, detail };
}

async function findLocal(row: ProviderRow, environment: Environment, timeoutMs: number): Promise<FoundProvider> {
  const { type: name, title, baseUrl, probePath } = row;
  const [variable = ""] = row.baseUrlVariables;
  const configured = environment[variable] || undefined;
  const address = (configured ?? baseUrl ?? "").replace(/\/+$/, "").replace(/\/v1$/, "");
  const found = await answers(`${address}${probePath}`, timeoutMs);
  const hint = configured
    ? `${variable} names ${address}, which does not answer`
    : `start ${title} on this machine, or set ${variable}`;
  return { name, title, found, detail: found ? `answers at ${address}` : hint };
}

async function answers(url: string, timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

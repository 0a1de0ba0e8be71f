/**
 * A client whose agent asks before it acts. It goes through one conversation, request by request: a call that is allowed, one
 * that the client runs, one that is cancelled, and a last word. A request that got no answer is sent again as it was.
 */

export interface Asker {
  readonly name: string;
  agentId: string;
  /** Requests that were answered. */
  done: number;
  /** Answers that are not what they should be. */
  readonly complaints: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at from outside
type Json = any;

const clipboard = {
  name: "read_clipboard",
  description: "Reads the clipboard.",
  parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};

export async function createAsker(url: string, name: string): Promise<Asker> {
  const agent = await post(`${url}/v1/agents/`, {
    name,
    model: "openai/gpt-4o-mini",
    tools: ["send_mail"],
    include_base_tools: false,
    tool_rules: [{ type: "requires_approval", tool_name: "send_mail" }],
  });
  return { name, agentId: agent.body.id, done: 0, complaints: [] };
}

interface Request {
  readonly path: "messages" | "messages/cancel";
  readonly body: object;
  /** What is wrong with the answer. */
  judge(status: number, body: Json): string | undefined;
}

const say = (otid: string, content: string) => ({ messages: [{ role: "user", content, otid }] });
const answer = (otid: string, ...approvals: object[]) => ({ messages: [{ type: "approval", approvals, otid }] });
const endsWith = (reason: string) => (status: number, body: Json) =>
  status === 200 && body.stop_reason.stop_reason === reason ? undefined : `is ${status} ${JSON.stringify(body)}`;

/** The model names its calls by their place in the conversation: by the number of the message it answers. */
function listRequests({ name }: Asker): Request[] {
  const mail = (which: string) => `!tool send_mail {"text":"${name} ${which}"}\n!say ${which} is done`;
  const look = { ...say(`${name}-3`, '!tool read_clipboard {"n":1}\n!say read'), client_tools: [clipboard] };
  const allowed = { type: "approval", tool_call_id: "call_1_0_0", approve: true };
  const input = { type: "tool", tool_call_id: "call_4_0_0", tool_return: "a poem", status: "success" };
  return [
    { path: "messages", body: say(`${name}-1`, mail("first")), judge: endsWith("requires_approval") },
    { path: "messages", body: answer(`${name}-2`, allowed), judge: endsWith("end_turn") },
    { path: "messages", body: look, judge: endsWith("requires_approval") },
    { path: "messages", body: answer(`${name}-4`, input), judge: endsWith("end_turn") },
    { path: "messages", body: say(`${name}-5`, mail("second")), judge: endsWith("requires_approval") },
    // Whoever did not hear that it was cancelled finds nothing more to cancel.
    {
      path: "messages/cancel",
      body: {},
      judge: (status) => ([200, 409].includes(status) ? undefined : `is ${status}`),
    },
    { path: "messages", body: say(`${name}-6`, "!say the last word"), judge: endsWith("end_turn") },
  ];
}

/** On from where it was; false when the server is gone. */
export async function goOn(url: string, asker: Asker): Promise<boolean> {
  for (const { path, body, judge } of listRequests(asker).slice(asker.done)) {
    try {
      const { status, body: got } = await post(`${url}/v1/agents/${asker.agentId}/${path}`, body);
      const complaint = judge(status, got);
      if (complaint) asker.complaints.push(`${asker.name}: the answer to request ${asker.done + 1} ${complaint}`);
    } catch {
      return false;
    }
    asker.done++;
  }
  return true;
}

async function post(url: string, body: object): Promise<{ status: number; body: Json }> {
  const headers = { "content-type": "application/json" };
  const got = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: got.status, body: await got.json() };
}

/**
 * What must hold whenever nothing is under way: every answer that was taken has led to results, every call has one result,
 * nothing was done twice, and what was in doubt was not done again.
 */
export async function checkAsker(url: string, asker: Asker, effects: readonly string[]): Promise<string[]> {
  const list = async (path: string): Promise<Json[]> => (await (await fetch(url + path)).json()) as Json[];
  const items = await list(`/v1/agents/${asker.agentId}/messages?order=asc&limit=100`);
  const waiting = await list(`/v1/memoir/approvals?agent_id=${asker.agentId}`);
  const of = (type: string) => items.filter(({ message_type: found }) => found === type);
  const returns = of("tool_return_message").flatMap(({ tool_returns: inner }) => inner);
  const calls = of("approval_request_message").flatMap(({ tool_calls: inner }) => inner);
  const asked = new Set(waiting.flatMap(({ tool_calls: inner }) => inner.map((call: Json) => call.tool_call_id)));
  const problems = [...asker.complaints];
  for (const { tool_call_id: id } of calls) {
    const count = returns.filter(({ tool_call_id: found }) => found === id).length;
    if (count !== (asked.has(id) ? 0 : 1)) problems.push(`${id} has ${count} results`);
  }
  const answers = of("approval_response_message").length;
  if (answers + waiting.length !== calls.length) problems.push(`${calls.length} questions, ${answers} answers`);
  const said = of("user_message").map(({ content }) => content);
  if (new Set(said).size !== said.length) problems.push(`said twice: ${JSON.stringify(said)}`);
  const first = returns.find(({ tool_call_id: id }) => id === calls[0]?.tool_call_id);
  const count = effects.filter((line) => line === `${asker.name} first`).length;
  const isRight = first === undefined ? count === 0 : first.status === "success" ? count === 1 : count <= 1;
  if (!isRight) problems.push(`the first mail was sent ${count} times; its result is ${JSON.stringify(first)}`);
  if (first?.status === "error" && !first.tool_return.includes("nobody knows")) problems.push(first.tool_return);
  if (effects.includes(`${asker.name} second`)) problems.push("a mail was sent that nobody had allowed");
  if (asker.done === 7 && said.length !== 4) problems.push(`not all was said: ${JSON.stringify(said)}`);
  return problems.map((problem) => `${asker.name}: ${problem}`);
}

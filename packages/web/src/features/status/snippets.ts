// First steps to copy: the same conversation with curl and with the two official clients. A password never appears in
// them; it is read from the environment, so a copied snippet can be pasted anywhere.

import type { ProviderStatus } from "../../api/status.ts";

export interface SnippetContext {
  baseUrl: string;
  model: string;
  hasPassword: boolean;
}

export interface Snippet {
  id: string;
  title: string;
  /** What to install first, if anything. */
  install?: string;
  code: string;
}

/** Only of providers that the server can speak to. */
const modelOfProvider: Record<string, string> = {
  openai: "openai/gpt-4o-mini",
  anthropic: "anthropic/claude-haiku-4-5",
};

/** A model of the first such provider that was found, else the built-in one, which needs no key. */
export function chooseModel(providers: ProviderStatus[]): string {
  const provider = providers.find(({ name, found }) => found && modelOfProvider[name]);
  return (provider && modelOfProvider[provider.name]) ?? "memoir/demo";
}

export function writeSnippets(context: SnippetContext): Snippet[] {
  return [
    { id: "curl", title: "curl", code: writeCurl(context) },
    {
      id: "typescript",
      title: "TypeScript",
      install: "npm install @letta-ai/letta-client",
      code: writeTypescript(context),
    },
    { id: "python", title: "Python", install: "pip install letta-client", code: writePython(context) },
  ];
}

function writeCurl({ baseUrl, model, hasPassword }: SnippetContext): string {
  const password = hasPassword ? ` \\\n  -H "Authorization: Bearer $MEMOIR_PASSWORD"` : "";
  const headers = `${password} \\\n  -H "Content-Type: application/json"`;
  return `# Make an agent and keep its id.
AGENT=$(curl -s ${baseUrl}/v1/agents/${headers} \\
  -d '{
    "model": "${model}",
    "memory_blocks": [{ "label": "human", "value": "Name: unknown" }]
  }' | grep -o 'agent-[0-9a-f-]*' | head -n 1)

# Talk to it: its answer is the assistant_message.
curl ${baseUrl}/v1/agents/$AGENT/messages${headers} \\
  -d '{ "input": "Hello, my name is Samira." }'

# Read what it wrote down.
curl ${baseUrl}/v1/agents/$AGENT/core-memory/blocks/human${password}
`;
}

function writeTypescript({ baseUrl, model, hasPassword }: SnippetContext): string {
  const options = hasPassword
    ? `{
  baseURL: "${baseUrl}",
  apiKey: process.env.MEMOIR_PASSWORD,
}`
    : `{ baseURL: "${baseUrl}" }`;
  return `import Letta from "@letta-ai/letta-client";

const client = new Letta(${options});

const agent = await client.agents.create({
  model: "${model}",
  memory_blocks: [{ label: "human", value: "Name: unknown" }],
});
const reply = await client.agents.messages.create(agent.id, {
  input: "Hello, my name is Samira.",
});
for (const message of reply.messages) {
  if (message.message_type === "assistant_message") console.log(message.content);
}

const block = await client.agents.blocks.retrieve("human", {
  agent_id: agent.id,
});
console.log(block.value);
`;
}

function writePython({ baseUrl, model, hasPassword }: SnippetContext): string {
  const imports = hasPassword ? "import os\n\nfrom letta_client import Letta" : "from letta_client import Letta";
  const options = hasPassword
    ? `
    base_url="${baseUrl}",
    api_key=os.environ["MEMOIR_PASSWORD"],
`
    : `base_url="${baseUrl}"`;
  return `${imports}

client = Letta(${options})

agent = client.agents.create(
    model="${model}",
    memory_blocks=[{"label": "human", "value": "Name: unknown"}],
)
reply = client.agents.messages.create(agent.id, input="Hello, my name is Samira.")
for message in reply.messages:
    if message.message_type == "assistant_message":
        print(message.content)

block = client.agents.blocks.retrieve("human", agent_id=agent.id)
print(block.value)
`;
}

/** The official npm client and agent files. */
import { describe, expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { contentOf, type Loose } from "../support/agent-files.ts";
import { makeFile } from "../support/agent-files-made.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("exports an agent, imports it again under another name, and talks to it", async (context) => {
    const Letta = await loadClient(context);
    const { providers } = await startDirectedModels();
    const { url } = await startServer(dialect, context, { core: { providers } });
    const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
    const { id } = await client.agents.create({
      name: "Nora",
      model: "openai/gpt-4o-mini",
      memory_blocks: [{ label: "human", value: "Name: Ada." }],
      secrets: { KEY: "secret" },
    });
    await client.agents.messages.create(id, { messages: [{ role: "user", content: "hello" }] });
    const file: Loose = await client.agents.exportFile(id);
    expect(file.agents[0]).toMatchObject({ name: "Nora", secrets: { KEY: "" } });
    const upload = (content: Loose) => new File([JSON.stringify(content)], "agent.af", { type: "application/json" });
    const { agent_ids } = await client.agents.importFile({
      file: upload(file),
      name: "Olga",
      secrets: JSON.stringify({ KEY: "other" }),
      override_existing_tools: false,
      strip_messages: false,
    });
    const [copy = ""] = agent_ids;
    const again: Loose = await client.agents.exportFile(copy, { conversation_id: null });
    expect(again.agents[0].name).toBe("Olga");
    again.agents[0].name = "Nora";
    expect(contentOf(again)).toEqual(contentOf(file));
    const answer = await client.agents.messages.create(copy, { messages: [{ role: "user", content: "!heard" }] });
    expect(answer.messages).toMatchObject([
      { message_type: "assistant_message", content: expect.stringContaining("hello") },
    ]);
    expect((await client.agents.retrieve(copy, { include: ["agent.secrets"] })).secrets).toMatchObject([
      { key: "KEY", value: "********" },
    ]);

    const group = await client.agents.importFile({ file: upload(makeFile()), append_copy_suffix: false });
    expect(group.agent_ids).toHaveLength(2);
    const scrubbed: Loose = await client.agents.exportFile(copy, { scrub_messages: true });
    expect(scrubbed.agents[0].messages).toEqual([]);
    await expect(client.agents.importFile({ file: new File(["{"], "broken.af") })).rejects.toBeInstanceOf(
      Letta.BadRequestError,
    );
    await expect(client.agents.exportFile(id, { use_legacy_format: true })).rejects.toMatchObject({
      status: 400,
      error: { detail: "Legacy format is not supported" },
    });
  });
});

/**
 * Replays what was recorded of folders, groups, sandboxes and MCP servers, as recorded.test.ts does with agents. Files
 * cannot be read yet, so the one that was uploaded is put into the database by hand. The recordings lie on our own
 * machines only.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultOrgId, type Memoir } from "@memoir/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { insertPassages } from "../../packages/core/src/store/archives/passages.ts";
import { Store } from "../../packages/core/src/store/engine/store.ts";
import { insertFile } from "../../packages/core/src/store/files/files.ts";
import { createDatabase, dialects } from "../../packages/core/src/testing/databases.ts";
import { startServer } from "../support/server.ts";
import { type Departure, departures as departuresOfAgents } from "./recorded-departures.ts";
import { isCompared, samples } from "./recorded-samples.ts";
import { callers, createJudge, hasRecordings, recordings, skipRecorded, testComplete } from "./recordings.ts";
import { compareWire, type Difference, IdMap } from "./wire-difference.ts";

interface Sample {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body?: object;
    readonly form?: string;
  };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown };
}

const own: readonly Departure[] = [
  { samples: /^folder-upload$/, path: /^status$/, reason: "files cannot be read yet" },
  {
    samples: /^folder-passages-list$/,
    path: /^body\[0\]\.embedding$/,
    reason: "vectors stay in the database (18.23: they are not padded)",
  },
  {
    samples: /^folder-(attach|detach)$/,
    path: /^body\.(description|last_stop_reason|message_ids\.length|metadata|memory\.blocks.*|blocks.*|tags.*)$/,
    reason: "in the recording the agent was used and changed in between",
  },
  {
    samples: /^folder-(attach|detach)$/,
    path: /^body\.(tools\[broken\]|tool_rules\[\w+:broken\])$/,
    reason: "in the recording the agent was given a tool in between",
  },
  {
    samples: /^folder-(attach|detach)$/,
    path: /^body\.memory\.file_blocks/,
    reason: "files are shown as they are now; the recording shows them as they were before",
  },
  {
    samples: /^group-/,
    path: /^body\.agent_ids/,
    reason: "in the recording the second member was an agent made in between",
  },
  { samples: /^sandbox-configs-list$/, path: /^body\[0\]\.config\.sandbox_dir$/, reason: "no folder is chosen yet" },
  { samples: /^mcp-server-create-http$/, path: /^body\.detail$/, reason: "the records are JSON here (api.md 3)" },
];

if (hasRecordings) {
  const judged = createJudge(["folders"], own, departuresOfAgents);

  describe.for(callers)("$who", ({ place, headers }) => {
    test.for(dialects)("%s: gets the recorded answers about folders and groups", async (dialect, context) => {
      const database = await createDatabase(dialect, context);
      const { url, memoir } = await startServer(dialect, context, { core: { database } });
      const ids = new IdMap();
      const unexpected: string[] = [];
      for (const sample of samples.folders) {
        const name = sample.replace("*", "");
        const recorded: Sample = JSON.parse(readFileSync(join(recordings, place, `${name}.json`), "utf8"));
        if (name === "sandbox-configs-list") await fetch(`${url}/v1/sandbox-config/local/default`, { method: "POST" });
        const differences = await replay(url, ids, recorded, headers);
        if (name === "folder-upload") await putFile(database, memoir, ids, recorded);
        if (isCompared(sample)) unexpected.push(...judged.judge(sample, differences));
      }
      expect(unexpected).toEqual([]);
    });
  });

  testComplete(judged);
} else skipRecorded("folders, files, groups and MCP servers are as recorded");

/** The recorded file with its one passage. */
async function putFile(database: string, memoir: Memoir, ids: IdMap, { response }: Sample): Promise<void> {
  const recorded = response.body as { id: string; source_id: string };
  const store = await Store.open({ database });
  onTestFinished(() => store.close());
  const { folders, defaultActor: actor } = memoir;
  const { id: folderId, embedding } = await folders.get(actor, ids.translate(recorded.source_id));
  const text = "Chapter one.\nThe lantern hangs over the river gate.\n";
  await store.write(defaultOrgId, async (scope) => {
    const at = scope.now();
    const made = { createdAt: at, updatedAt: at, createdBy: actor.userId, updatedBy: actor.userId };
    const file = {
      ...made,
      id: scope.newId("file"),
      folderId,
      name: "wire docs/notes.txt",
      originalName: "notes.txt",
      mediaType: "text/plain",
      size: 52,
      status: "completed" as const,
      error: null,
      totalChunks: 1,
      chunksEmbedded: 1,
      contentHash: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: null,
    };
    await insertFile(scope, file, text);
    await insertPassages(scope, [
      {
        ...made,
        id: scope.newId("passage"),
        archiveId: null,
        folderId,
        fileId: file.id,
        ownerId: folderId,
        text: text.trim(),
        metadata: {},
        tags: null,
        embedding,
      },
    ]);
    ids.matches(recorded.id, file.id);
  });
}

async function replay(
  url: string,
  ids: IdMap,
  { request, response }: Sample,
  headers: Record<string, string>,
): Promise<Difference[]> {
  const { method, path, body, form } = request;
  const answer = await fetch(url + ids.translate(path), {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: form === undefined ? body && ids.translate(JSON.stringify(named(body, ids))) : makeForm(),
  });
  const ours = {
    status: answer.status,
    type: answer.headers.get("content-type")?.split(";")[0],
    body: await answer.json(),
  };
  const recorded = { status: response.status, type: response.headers["content-type"], body: response.body };
  return recorded.status === ours.status
    ? compareWire(ids, recorded, ours)
    : [{ path: "status", recorded: recorded.status, ours: ours.status }];
}

/** Members that no sample made are left out. */
function named(body: object, ids: IdMap): object {
  if (!("agent_ids" in body) || !Array.isArray(body.agent_ids)) return body;
  return { ...body, agent_ids: body.agent_ids.filter((id: string) => ids.translate(id) !== id) };
}

function makeForm(): FormData {
  const form = new FormData();
  form.append("file", new File(["Chapter one."], "notes.txt", { type: "text/plain" }));
  return form;
}

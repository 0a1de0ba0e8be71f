import { describe, expect, type TestContext, test } from "vitest";
import { insertPassages } from "../../store/archives/passages.ts";
import type { Scope } from "../../store/engine/scope.ts";
import { type FileRecord, insertFile } from "../../store/files/files.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openNeighbour, openWorld } from "../../testing/worlds.ts";

const unknown = (prefix: string) => `${prefix}-00000000-0000-4000-8000-00000000dead`;
const asc = { limit: 50, order: "asc" } as const;

async function open(dialect: DialectName, context: TestContext) {
  const world = await openWorld(dialect, context);
  const { store, actor, memoir } = world;
  const write = <R>(work: (scope: Scope) => Promise<R>) => store.write(actor.orgId, work);
  const addFile = (
    folder: { id: string; name: string },
    name: string,
    text: string | null,
    more: Partial<FileRecord> = {},
  ) =>
    write(async (scope) => {
      const at = scope.now();
      const file: FileRecord = {
        id: scope.newId("file"),
        folderId: folder.id,
        name: `${folder.name}/${name}`,
        originalName: name,
        mediaType: "text/plain",
        size: text?.length ?? null,
        status: "completed",
        error: null,
        totalChunks: null,
        chunksEmbedded: null,
        contentHash: null,
        sourceCreatedAt: null,
        sourceUpdatedAt: null,
        createdAt: at,
        updatedAt: at,
        createdBy: actor.userId,
        updatedBy: actor.userId,
        ...more,
      };
      await insertFile(scope, file, text);
      return file;
    });
  const openNames = async (agentId: string) => {
    const { files } = await memoir.openFiles.list(actor, agentId, { isOpen: true }, asc);
    return files.map(({ fileName }) => fileName).sort();
  };
  const toolNames = async (agentId: string) => (await memoir.agents.get(actor, agentId)).tools.map(({ name }) => name);
  return { ...world, write, addFile, openNames, toolNames };
}

describe.for(dialects)("%s", (dialect) => {
  test("a folder is made, found, changed and deleted", async (context) => {
    const { memoir, actor } = await open(dialect, context);
    const folder = await memoir.folders.create(actor, { name: "docs", description: "d", embeddingChunkSize: 100 });
    expect(folder).toMatchObject({ name: "docs", description: "d", instructions: null, metadata: null });
    expect(folder.embedding).toMatchObject({ handle: "memoir/lexical-512", chunkSize: 100 });
    expect(await memoir.folders.get(actor, folder.id)).toEqual(folder);
    expect(await memoir.folders.getByName(actor, "docs")).toEqual(folder);
    await expect(memoir.folders.create(actor, { name: "docs" })).rejects.toMatchObject({
      code: "conflict",
      details: { entity: "folder", field: "name" },
    });
    const other = await memoir.folders.create(actor, { name: "other" });
    await expect(memoir.folders.update(actor, other.id, { name: "docs" })).rejects.toMatchObject({ code: "conflict" });
    const changed = await memoir.folders.update(actor, folder.id, { instructions: "read first" });
    expect(changed).toMatchObject({ name: "docs", description: "d", instructions: "read first" });
    expect(await memoir.folders.count(actor)).toBe(2);
    expect((await memoir.folders.list(actor, { name: "other" }, asc)).map(({ id }) => id)).toEqual([other.id]);
    await memoir.folders.delete(actor, folder.id);
    await expect(memoir.folders.get(actor, folder.id)).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.folders.delete(actor, folder.id)).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.folders.create(actor, { name: " " })).rejects.toMatchObject({ code: "invalid-input" });
  });

  test("folders page in both orders, each once, though all are of one instant", async (context) => {
    const { memoir, actor, write } = await open(dialect, context);
    const first = await memoir.folders.create(actor, { name: "folder 0" });
    await write(async (scope) => {
      const row = await scope.select("folder").selectAll("folder").where("id", "=", first.id).executeTakeFirstOrThrow();
      const rows = Array.from({ length: 24 }, (_, index) => {
        return { ...row, id: scope.newId("source"), name: `folder ${index + 1}` };
      });
      await scope.insertAll("folder", rows);
    });
    for (const order of ["asc", "desc"] as const) {
      const seen: string[] = [];
      for (let page = 0; page < 10; page++) {
        const after = seen.at(-1);
        const some = await memoir.folders.list(actor, {}, { limit: 7, order, ...(after ? { after } : {}) });
        seen.push(...some.map(({ id }) => id));
        if (some.length === 0) break;
      }
      expect(seen).toHaveLength(25);
      expect(new Set(seen).size).toBe(25);
      expect(seen).toEqual(order === "asc" ? seen.toSorted() : seen.toSorted().reverse());
    }
  });

  test("an agent with a folder has the tools for files, and loses them with its last folder", async (context) => {
    const { memoir, actor, createAgent, toolNames } = await open(dialect, context);
    const [one, two] = [
      await memoir.folders.create(actor, { name: "one" }),
      await memoir.folders.create(actor, { name: "two" }),
    ];
    const { agent } = await createAgent({ includeBaseTools: false });
    await memoir.folders.attach(actor, agent.id, one.id);
    await memoir.folders.attach(actor, agent.id, one.id);
    await memoir.folders.attach(actor, agent.id, two.id);
    const fileTools = ["grep_files", "open_files", "semantic_search_files"];
    expect(await toolNames(agent.id)).toEqual(fileTools);
    expect((await memoir.folders.listOfAgent(actor, agent.id, asc)).map(({ id }) => id)).toEqual([one.id, two.id]);
    expect(await memoir.folders.listAgentIds(actor, one.id, asc)).toEqual([agent.id]);
    await memoir.folders.detach(actor, agent.id, one.id);
    await memoir.folders.detach(actor, agent.id, one.id);
    expect(await toolNames(agent.id)).toEqual(fileTools);
    await memoir.folders.delete(actor, two.id);
    expect(await toolNames(agent.id)).toEqual([]);
    const born = await createAgent({ includeBaseTools: false, folderIds: [one.id] });
    expect(born.tools.map(({ name }) => name)).toEqual(fileTools);
    const updated = await memoir.agents.update(actor, born.agent.id, { folderIds: [] });
    expect([updated.folders, updated.tools]).toEqual([[], []]);
  });

  test("attaching opens as many files as fit; opening another closes the least recently used", async (context) => {
    const { memoir, actor, createAgent, addFile, openNames } = await open(dialect, context);
    const folder = await memoir.folders.create(actor, { name: "docs" });
    const files = [];
    for (const name of ["a.txt", "b.txt", "c.txt"]) files.push(await addFile(folder, name, `Text of ${name}.\n\nEnd.`));
    const [a, b, c] = files as [FileRecord, FileRecord, FileRecord];
    const { agent } = await createAgent({ maxFilesOpen: 2 });
    await memoir.folders.attach(actor, agent.id, folder.id);
    expect(await openNames(agent.id)).toEqual(["docs/a.txt", "docs/b.txt"]);
    const { files: links } = await memoir.openFiles.list(actor, agent.id, {}, asc);
    expect(links.find(({ fileId }) => fileId === a.id)).toMatchObject({
      folderName: "docs",
      isOpen: true,
      visible: "[Viewing file start (out of 2 lines)]\n1: Text of a.txt.\n2: End.",
    });
    expect(await memoir.openFiles.open(actor, agent.id, a.id)).toEqual([]);
    expect(await memoir.openFiles.open(actor, agent.id, c.id)).toEqual(["docs/b.txt"]);
    expect(await openNames(agent.id)).toEqual(["docs/a.txt", "docs/c.txt"]);
    await memoir.openFiles.close(actor, agent.id, c.id);
    await memoir.openFiles.close(actor, agent.id, c.id);
    expect(await memoir.openFiles.closeAll(actor, agent.id)).toEqual(["docs/a.txt"]);
    expect(await memoir.openFiles.closeAll(actor, agent.id)).toEqual([]);
    await expect(memoir.openFiles.open(actor, agent.id, unknown("file"))).rejects.toMatchObject({ code: "not-found" });
    await memoir.folders.detach(actor, agent.id, folder.id);
    await expect(memoir.openFiles.open(actor, agent.id, b.id)).rejects.toMatchObject({ code: "not-found" });
    await memoir.folders.attach(actor, agent.id, folder.id);
    expect(await openNames(agent.id)).toEqual(["docs/a.txt", "docs/b.txt"]);
  });

  test("an open file stands in the agent's prompt, cut to what fits", async (context) => {
    const { memoir, actor, createAgent, addFile } = await open(dialect, context);
    const folder = await memoir.folders.create(actor, { name: "docs" });
    await addFile(folder, "long.txt", "The lantern hangs over the gate.\n".repeat(50));
    const { agent } = await createAgent({ fileViewChars: 200 });
    await memoir.folders.attach(actor, agent.id, folder.id);
    const { files } = await memoir.openFiles.list(actor, agent.id, {}, asc);
    expect(files[0]?.visible).toHaveLength(200);
    expect(files[0]?.visible).toContain("...[TRUNCATED]");
    const prompt = await memoir.conversations.recompile(actor, { agentId: agent.id });
    expect(prompt).toContain('<file status="open" name="docs/long.txt">');
    expect(prompt).toContain("The lantern hangs");
  });

  test("a folder's files are listed, counted, renamed with it and deleted", async (context) => {
    const { memoir, actor, addFile, write } = await open(dialect, context);
    const folder = await memoir.folders.create(actor, { name: "döcs" });
    const file = await addFile(folder, "a.txt", "Hello.");
    await addFile(folder, "b.txt", null, { status: "parsing" });
    const other = await memoir.folders.create(actor, { name: "other" });
    await write(async (scope) => {
      const at = scope.now();
      const passage = { archiveId: null, folderId: folder.id, fileId: file.id, ownerId: folder.id };
      const more = { metadata: {}, tags: null, embedding: null, createdBy: null, updatedBy: null };
      await insertPassages(scope, [
        { ...passage, ...more, id: scope.newId("passage"), text: "Hello.", createdAt: at, updatedAt: at },
      ]);
    });
    const views = await memoir.folders.listFiles(actor, folder.id, asc, true);
    expect(views.map(({ file: { name }, text }) => [name, text])).toEqual([
      ["döcs/a.txt", "Hello."],
      ["döcs/b.txt", null],
    ]);
    expect(await memoir.folders.measure(actor)).toEqual({ folders: 2, files: 2, bytes: 6, details: [] });
    const { details } = await memoir.folders.measure(actor, { withDetails: true });
    expect(details.map(({ name, files }) => [name, files.length])).toEqual([
      ["döcs", 2],
      ["other", 0],
    ]);
    await memoir.folders.update(actor, folder.id, { name: "papers" });
    expect((await memoir.folders.getFile(actor, folder.id, file.id)).file.name).toBe("papers/a.txt");
    expect(await memoir.folders.listPassages(actor, folder.id, asc)).toMatchObject([
      { text: "Hello.", fileName: "papers/a.txt" },
    ]);
    await expect(memoir.folders.getFile(actor, other.id, file.id)).rejects.toMatchObject({ code: "not-found" });
    await expect(memoir.folders.deleteFile(actor, other.id, file.id)).rejects.toMatchObject({ code: "not-found" });
    await memoir.folders.deleteFile(actor, folder.id, file.id);
    expect(await memoir.folders.listPassages(actor, folder.id, asc)).toEqual([]);
    expect(await memoir.folders.listFiles(actor, folder.id, asc)).toHaveLength(1);
  });

  test("another organization's folders, files and agents do not exist", async (context) => {
    const world = await open(dialect, context);
    const { memoir, actor, addFile, createAgent } = world;
    const folder = await memoir.folders.create(actor, { name: "docs" });
    const file = await addFile(folder, "a.txt", "Hello.");
    const { agent } = await createAgent();
    const neighbour = await openNeighbour(world);
    const { folders, openFiles } = neighbour.memoir;
    const missing = { code: "not-found" };
    await expect(folders.get(neighbour.actor, folder.id)).rejects.toMatchObject(missing);
    await expect(folders.getByName(neighbour.actor, "docs")).rejects.toMatchObject(missing);
    await expect(folders.update(neighbour.actor, folder.id, { name: "x" })).rejects.toMatchObject(missing);
    await expect(folders.delete(neighbour.actor, folder.id)).rejects.toMatchObject(missing);
    await expect(folders.listFiles(neighbour.actor, folder.id, asc)).rejects.toMatchObject(missing);
    await expect(folders.attach(neighbour.actor, agent.id, folder.id)).rejects.toMatchObject(missing);
    await expect(openFiles.open(neighbour.actor, agent.id, file.id)).rejects.toMatchObject(missing);
    await expect(openFiles.closeAll(neighbour.actor, agent.id)).rejects.toMatchObject(missing);
    expect(await folders.measure(neighbour.actor, { withDetails: true })).toMatchObject({ folders: 0, details: [] });
    expect((await folders.create(neighbour.actor, { name: "docs" })).name).toBe("docs");
  });
});

/**
 * Isolation of organizations: every table with their data names its organization, every statement goes through a Scope,
 * and a Scope neither returns nor changes rows of another organization.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ESTree, Visitor } from "rolldown/utils";
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects, openTestStore } from "../../testing/databases.ts";
import {
  type ColumnFacts,
  inspectTables,
  makeRow,
  populate,
  type Row,
  readRows,
  type TableFacts,
  withoutMigrations,
} from "../../testing/rows.ts";
import { parseSource, readSources, root, type SourceFile } from "../../testing/sources.ts";
import type { OrgTable } from "./schema.ts";
import type { Scope } from "./scope.ts";

describe.each(dialects)("%s: the tables", (dialect) => {
  test("are those of schema.ts, and all that belong to organizations are known as such", async (context) => {
    const names = (await inspectTables(await openTestStore(dialect, context))).map(({ name }) => name).sort();
    const { tables, ofOrganizations } = readSchema();
    expect(names).toEqual([...tables.keys()].sort());
    expect(names.filter((name) => name !== "organization" && name !== "memoir_migration")).toEqual(
      ofOrganizations.sort(),
    );
  });

  test("have the columns of schema.ts: none more, none less, no other type, empty where they may be", async (context) => {
    const { tables } = readSchema();
    for (const { name, columns } of await inspectTables(await openTestStore(dialect, context))) {
      const declared = tables.get(name) ?? new Map<string, string>();
      const stored = new Map(columns.map((column) => [column.name, spell(column, declared.get(column.name))]));
      expect(Object.fromEntries(stored), name).toEqual(Object.fromEntries(declared));
    }
  });

  test("name an organization that exists in every row, and their rows go with it", async (context) => {
    const store = await openTestStore(dialect, context);
    const tables = withoutMigrations(await inspectTables(store));
    for (const { name, columns } of tables.filter((table) => table.name !== "organization")) {
      const column = columns.find((each) => each.name === "org_id");
      expect(column, name).toMatchObject({ isNullable: false, references: { table: "organization", column: "id" } });
    }
    const before = await readRows(store, tables);
    const rows = await populate(store, "a");
    // An agent that manages a group cannot be deleted before the group.
    for (const table of ["group", "organization"] as const) {
      await store.unscoped
        .deleteFrom(table)
        .where("id", "=", String(rows.get(table)?.id))
        .execute();
    }
    expect(await readRows(store, tables)).toEqual(before);
  });
});

describe.each(dialects)("%s: a scope of another organization", (dialect) => {
  test("sees no row of any table", async (context) => {
    const { store, tables } = await openForeign(dialect, context);
    await store.write("b", async (scope) => {
      for (const { name } of tables) expect(await selectAll(scope, name), name).toEqual([]);
    });
    for (const { name } of tables) expect(await selectAll(store.read("b"), name), name).toEqual([]);
  });

  test("finds no text by its words", async (context) => {
    const { store } = await openForeign(dialect, context);
    const find = (orgId: string) =>
      store.read(orgId).selectMatches("message", "agent-a", ["message"]).query.select("message.id").execute();
    expect(await find("a")).toEqual([{ id: "message-a" }]);
    expect(await find("b")).toEqual([]);
  });

  test("changes no row of any table", async (context) => {
    const { store, tables, theirs } = await openForeign(dialect, context);
    const before = await readRows(store, tables);
    await store.write("b", async (scope) => {
      for (const table of tables) {
        const changed = await scope
          .update(table.name as "block")
          .set(spoil(table, theirs))
          .executeTakeFirstOrThrow();
        expect(changed.numUpdatedRows, table.name).toBe(0n);
      }
    });
    expect(await readRows(store, tables)).toEqual(before);
    // The same statement does change rows of its own organization.
    await store.write("a", async (scope) => {
      for (const table of tables) {
        const changed = await scope
          .update(table.name as "block")
          .set(spoil(table, theirs))
          .executeTakeFirstOrThrow();
        expect(changed.numUpdatedRows, table.name).toBe(1n);
      }
    });
  });

  test("deletes no row of any table", async (context) => {
    const { store, tables } = await openForeign(dialect, context);
    const before = await readRows(store, tables);
    await store.write("b", async (scope) => {
      for (const { name } of tables) {
        const { numDeletedRows } = await scope.delete(name as OrgTable).executeTakeFirstOrThrow();
        expect(numDeletedRows, name).toBe(0n);
      }
    });
    expect(await readRows(store, tables)).toEqual(before);
  });

  test("inserts into its own organization, whatever the row says", async (context) => {
    const { store, tables } = await openForeign(dialect, context);
    const before = await readRows(store, tables);
    await store.write("b", async (scope) => {
      const ours = new Map<string, Row>([["organization", { id: "b" }]]);
      for (const [index, table] of tables.entries()) {
        const row = { ...makeRow(table, "b", ours), org_id: "a" };
        if (index % 2 === 0) await scope.insert(table.name as OrgTable, row as never).execute();
        else await scope.insertAll(table.name as OrgTable, [row as never]);
        ours.set(table.name, row);
      }
    });
    for (const { name } of tables) {
      expect(
        (await selectAll(store.read("b"), name)).map(({ org_id }) => org_id),
        name,
      ).toEqual(["b"]);
      expect(
        (await selectAll(store.read("a"), name)).map(({ org_id }) => org_id),
        name,
      ).toEqual(["a"]);
    }
    const after = await readRows(store, tables);
    for (const { name } of tables) expect(after[name], name).toEqual(expect.arrayContaining(before[name] ?? []));
  });
});

describe("the source", () => {
  const sources = readSources("packages/core/src").filter(({ path }) => !path.includes("/testing/"));

  test("reaches rows through a Scope only", () => {
    expect(sources.flatMap(listBareStatements)).toEqual([]);
  });

  test("joins tables by ids only, so that a row of ours leads to rows of ours", () => {
    expect(sources.flatMap(listOpenJoins)).toEqual([]);
  });

  test("takes the organization from the actor", () => {
    const scoped = sources
      .filter(({ code }) => /\bstore\s*\.\s*(read|readWarm|write)\(/.test(code))
      .map(({ path }) => path);
    expect(scoped).toEqual([
      "packages/core/src/jobs/retention.ts", // that of what is to be deleted
      "packages/core/src/jobs/trace-writer.ts", // that of the run the trace is of
      "packages/core/src/jobs/webhook-sender.ts", // that of what is to be sent
      "packages/core/src/loop/context/compact.ts",
      "packages/core/src/loop/model-call/call-model.ts", // that of the run
      "packages/core/src/loop/run.ts",
      "packages/core/src/loop/take-run.ts",
      "packages/core/src/loop/write-run.ts",
      "packages/core/src/runtime.ts",
      "packages/core/src/services/access/audit.ts", // that of the actor
      "packages/core/src/services/access/keys.ts", // that of the actor
      "packages/core/src/services/agents/repair-offline.ts", // that of the agent
      "packages/core/src/services/approvals/approval-expiry.ts", // that of what was asked
      "packages/core/src/services/messages/prepare-send.ts", // that of the actor
      "packages/core/src/services/models/model-directory.ts", // that of the actor, or of the run
      "packages/core/src/services/runs/abandon-approval.ts", // that of the approval
      "packages/core/src/services/sandboxes/tool-sandboxes.ts", // that of the tool
      "packages/core/src/services/secrets/decrypt-secrets.ts", // that of the call
      "packages/core/src/services/secrets/re-encrypt-secrets.ts", // that of the secret
      "packages/core/src/services/tools/base-tools.ts", // for every organization, at the start
      "packages/core/src/services/tools/composio-tools.ts", // that of the call
      "packages/core/src/services/tools/custom-tools.ts", // that of the call
      "packages/core/src/services/tools/run-code.ts", // that of the call
      "packages/core/src/services/tools/tool-calls-from-code.ts", // that of the call
    ]);
  });

  test.for([
    `db.selectFrom("block")`,
    `db.insertInto("block")`,
    `db.updateTable("block")`,
    `db.deleteFrom("block")`,
    `db.mergeInto("block")`,
    `db.replaceInto("block")`,
    `db.with("mine", query)`,
    `db.withRecursive("mine", query)`,
    `scope.select("block").where((eb) => eb.exists(eb.selectFrom("secret")))`,
    `scope.select("block").clearWhere()`,
    `scope.insert("block", row).values(other)`,
    `scope.insert("block", row).onConflict((c) => c.column("id").doUpdateSet(row))`,
    `scope.insert("block", row).orReplace()`,
    `scope.update("block").from("secret")`,
    `scope.delete("block").using("secret")`,
    `scope.update("block").set({ org_id: other })`,
    `sql.raw("select 1")`,
    `sql.table("secret")`,
    "sql`delete from block`.execute(db)",
    "scope.select('block').select(sql`(select value from secret)`.as('value'))",
    "store.unscoped",
    `import { Kysely } from "kysely"`,
    "new Scope(db, orgId, context)",
  ])("the check catches %s", (text) => {
    expect(listBareStatements(parseSource("packages/core/src/store/new.ts", text))).not.toEqual([]);
    expect(listBareStatements(parseSource("packages/core/src/store/new.ts", `// ${text}`))).toEqual([]);
  });

  test.for([`scope.select("block")`, `scope.update("block")`, `scope.delete("block")`, `scope.insert("block", row)`])(
    "the check catches %s outside the store",
    (text) => {
      expect(listBareStatements(parseSource("packages/core/src/loop/new.ts", text))).toHaveLength(1);
      expect(listBareStatements(parseSource("packages/core/src/store/new.ts", text))).toEqual([]);
    },
  );

  test.for([
    `query.innerJoin("secret", (join) => join.onTrue())`,
    `query.innerJoin("secret", "secret.name", "block.label")`,
    `query.innerJoin("secret", "secret.id", "block.label")`,
    `query.crossJoin("secret")`,
    `query.leftJoin("secret", "secret.id", "block.secret_id")`,
  ])("the check catches %s", (text) => {
    expect(listOpenJoins(parseSource("packages/core/src/store/new.ts", text))).toHaveLength(1);
  });

  test("the check lets the usual through", () => {
    const text = `
      scope.select("block").innerJoin("agent_block", "agent_block.block_id", "block.id").execute();
      scope.update("block").set({ value: sql\`upper(\${sql.ref("value")})\` }).executeTakeFirstOrThrow(() => error);`;
    const source = parseSource("packages/core/src/store/new.ts", text);
    expect([...listBareStatements(source), ...listOpenJoins(source)]).toEqual([]);
  });
});

/** A database with a row of organization a in every table, and with an organization b that has none. */
async function openForeign(dialect: DialectName, context: TestContext) {
  const store = await openTestStore(dialect, context);
  const theirs = await populate(store, "a");
  const at = store.now();
  await store.unscoped
    .insertInto("organization")
    .values({ id: "b", name: "b", base_tools_key: null, created_at: at, updated_at: at })
    .execute();
  const tables = withoutMigrations(await inspectTables(store)).filter(({ name }) => name !== "organization");
  return { store, theirs, tables };
}

async function selectAll(scope: Scope, table: string): Promise<Row[]> {
  const rows = await scope
    .select(table as "block")
    .selectAll()
    .execute();
  return rows as unknown as Row[];
}

/** A change of one column that no key or reference stands in the way of; a link has none, so its own value is set again. */
function spoil({ name, columns }: TableFacts, theirs: ReadonlyMap<string, Row>): Row {
  const free = columns.find((column) => !column.isKey && !column.references && column.name !== "id");
  const column = free ?? columns.find((each) => each.name !== "org_id");
  if (!column) throw new Error(`${name} has no column to change`);
  const value = theirs.get(name)?.[column.name] ?? null;
  return { [column.name]: free?.type === "text" ? `${value} spoiled` : value };
}

interface Schema {
  /** The columns of each table with their types as written. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly ofOrganizations: string[];
}

/** The text of schema.ts, read as data. */
function readSchema(): Schema {
  const path = "packages/core/src/store/engine/schema.ts";
  const text = readFileSync(join(root, path), "utf8");
  const interfaces = new Map<string, Map<string, string>>();
  new Visitor({
    TSInterfaceDeclaration: ({ id, body }) => {
      const members = body.body.flatMap((member): [string, string][] => {
        if (member.type !== "TSPropertySignature" || !member.typeAnnotation) throw new Error(`${id.name} is not plain`);
        const { start, end } = member.typeAnnotation.typeAnnotation;
        return [[text.slice(member.key.start, member.key.end), text.slice(start, end)]];
      });
      interfaces.set(id.name, new Map(members));
    },
  }).visit(parseSource(path, text).program);
  const members = (name: string) => [...(interfaces.get(name) ?? [])];
  const listed = [...members("OrgTables"), ...members("Tables")];
  return {
    tables: new Map(listed.map(([table, type]) => [table, interfaces.get(type) ?? new Map()])),
    ofOrganizations: members("OrgTables").map(([table]) => table),
  };
}

/** How a stored column may be typed in schema.ts. */
const typings: Readonly<Record<string, readonly ColumnFacts["type"][]>> = {
  string: ["text"],
  number: ["integer", "bigint"],
  Flag: ["smallint"],
  Timestamp: ["bigint"],
  Uint8Array: ["bytes"],
  Vector: ["vector", "bytes"],
};

/** The column's type as schema.ts has to write it; as declared, if that fits what is stored. */
function spell(column: ColumnFacts, declared = ""): string {
  const bare = declared.replace(/ \| null$/, "");
  if (column.isSequence) return "Generated<number>";
  const name = typings[bare]?.includes(column.type) ? bare : column.type;
  return column.isNullable ? `${name} | null` : name;
}

const storeFolder = "packages/core/src/store";
/** Calls that start a statement without an organization, or remove it from one. */
const bareCalls = words("selectFrom insertInto updateTable deleteFrom mergeInto replaceInto withRecursive doUpdateSet");
/** The same; outside the store other functions have these names. */
const bareCallsInStore = words("with values expression from using");
const bareMembers = words("clearWhere orReplace orUpdate");
/** Methods of Scope that only the store may call. */
const scopeCalls = words("select selectMatches update delete insert insertAll");
const builtins = words("Array Buffer");
const mayWriteSql = ["engine/scope.ts", "system.ts", "engine/migrate.ts"];
const mayNameOrganization = ["engine/schema.ts", "engine/scope.ts", "system.ts"];
const mayHoldConnection = [
  "engine/scope.ts",
  "engine/store.ts",
  "engine/group-commit.ts",
  "engine/migrate.ts",
  "engine/dialects/node-sqlite.ts",
  "engine/dialects/postgres.ts",
];

const mayOpenScope = ["engine/store.ts", "engine/scope.ts"];

function listBareStatements({ path, program, code }: SourceFile): string[] {
  const file = path.replace(`${storeFolder}/`, "");
  const found: string[] = [];
  const report = (problem: string) => found.push(`${path}: ${problem}`);
  const isInStore = file !== path;
  const mayWrite = mayWriteSql.includes(file) || file.startsWith("engine/migrations/");
  new Visitor({
    MemberExpression: (node) => {
      const name = memberName(node) ?? "";
      const owner = node.object.type === "Identifier" ? node.object.name : "";
      if (/^(unscoped|writeUnscoped)$/.test(name) && file !== "system.ts") report(`.${name}`);
      if (bareMembers.has(name) && !mayWrite) report(`.${name}`);
      if (owner === "sql" && ["raw", "table"].includes(name) && !mayWrite) report(`sql.${name}`);
    },
    CallExpression: ({ callee, arguments: input }) => {
      if (callee.type !== "MemberExpression" || input.length === 0) return;
      const name = memberName(callee) ?? "";
      const owner = callee.object.type === "Identifier" ? callee.object.name : "";
      const isBare = bareCalls.has(name) || (isInStore && bareCallsInStore.has(name));
      if (isBare && !builtins.has(owner) && !mayWrite) report(`.${name}(…)`);
      if (!isInStore && owner === "scope" && scopeCalls.has(name)) report(`scope.${name}(…) outside the store`);
      // Builders execute themselves; only raw SQL and the work of a transaction are passed on.
      if (/^(template|runPrepared)$/.test(name) && owner === "scope" && file !== "engine/prepared.ts")
        report(`scope.${name}(…)`);
      if (name === "execute" && /\bsql\b/.test(code) && !mayWrite && !mayHoldConnection.includes(file))
        report("execute(connection)");
    },
    TaggedTemplateExpression: ({ tag, quasi }) => {
      if (tag.type !== "Identifier" || tag.name !== "sql" || mayWrite) return;
      const text = quasi.quasis.map(({ value }) => value.raw).join(" ");
      // A list passed as a parameter is not a table.
      if (/\b(from(?! json_each)|join|into|update)\b/i.test(text)) report(`sql of its own: ${text}`);
    },
    ImportSpecifier: ({ local }) => {
      if (/^(Kysely|Transaction)$/.test(local.name) && !mayHoldConnection.includes(file)) report(local.name);
    },
    NewExpression: ({ callee }) => {
      if (callee.type === "Identifier" && callee.name === "Scope" && !mayOpenScope.includes(file)) report("new Scope");
    },
  }).visit(program);
  if (/\borg_id\b/.test(code) && !mayNameOrganization.includes(file) && !mayWrite) report("names org_id itself");
  return found;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function memberName({ property, computed }: ESTree.MemberExpression): string | undefined {
  if (property.type === "Identifier" && !computed) return property.name;
  return property.type === "Literal" ? String(property.value) : undefined;
}

/** Ids are globally unique and belong to one organization; a join on another column could cross organizations. */
function listOpenJoins({ path, program, code }: SourceFile): string[] {
  const found: string[] = [];
  new Visitor({
    CallExpression: (node) => {
      const { callee, arguments: input } = node;
      const name = callee.type === "MemberExpression" ? memberName(callee) : undefined;
      if (!name || !/^\w+(Join|JoinLateral|Apply)$/.test(name)) return;
      const sides = input.slice(1).map(({ start, end }) => code.slice(start + 1, end - 1));
      const isById = sides.length === 2 && sides.every((side) => /^[\w${}]+\.(\w+_)?id$/.test(side));
      if (name !== "innerJoin" || !isById)
        found.push(`${path}: ${code.slice(node.callee.end - name.length, node.end)}`);
    },
  }).visit(program);
  return found;
}

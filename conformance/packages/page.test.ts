/** The page at `/` and the reference at `/docs`, in a real browser, from the real server, with nothing else to reach. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { version } from "@memoir/core";
import { findProviders } from "@memoir/server";
import { beforeAll, describe, expect, type TestContext, test } from "vitest";
import { ROOT } from "../../scripts/install.cjs";
import { openBrowser } from "../support/browser.ts";
import { outsideEnvironment, runOutside } from "../support/outside.ts";
import { startServer, type TestServerOptions } from "../support/server.ts";

const webRoot = join(ROOT, "packages", "web", "dist");

beforeAll(async () => {
  if (existsSync(join(webRoot, "index.html")) && existsSync(join(webRoot, "reference", "scalar.js"))) return;
  const PATH = [join(ROOT, "node_modules", ".bin"), outsideEnvironment().PATH].join(delimiter);
  const { status, stdout, stderr } = await runOutside("npm", ["run", "build", "-w", "@memoir/web"], {
    cwd: ROOT,
    env: { PATH },
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
});

const environment = {
  ANTHROPIC_API_KEY: "sk-never-shown",
  OLLAMA_BASE_URL: "http://127.0.0.1:9",
  LMSTUDIO_BASE_URL: "http://127.0.0.1:9",
};

async function open(context: TestContext, options: TestServerOptions = {}) {
  const server = await startServer("sqlite", context, {
    webRoot,
    findProviders: () => findProviders(environment),
    ...options,
  });
  return { server, ...(await openBrowser(context, server.url)) };
}

describe("the front page", () => {
  test("says what is running, where the data is, and which model providers were found", async (context) => {
    const { server, page, elsewhere, complaints } = await open(context);
    await server.memoir.agents.create(server.memoir.defaultActor, {
      model: "openai/gpt-4o-mini",
      blocks: [{ label: "human", value: "Ada" }],
    });
    await page.goto(server.url);
    await page.getByRole("heading", { level: 1, name: "Memoir is up." }).waitFor();
    const text = await page.locator("main").innerText();
    expect(text).toContain(`Version ${version}`);
    expect(text).toContain("0.16.8");
    expect(text).toContain(server.memoir.location.path);
    expect(text).toContain("SQLite");
    expect(await page.locator(".fact", { hasText: "Agents" }).locator(".fact-value").innerText()).toBe("1");
    expect(await page.locator(".fact", { hasText: "Memory blocks" }).locator(".fact-value").innerText()).toBe("1");
    expect(text).toContain("ANTHROPIC_API_KEY is set");
    await page.getByText("Add another").click();
    expect(await page.locator("main").innerText()).toContain("set OPENAI_API_KEY and start again");
    expect(await page.content()).not.toContain("sk-never-shown");
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  test("leads to the reference, also by keyboard alone", async (context) => {
    const { server, page } = await open(context);
    await page.goto(server.url);
    const link = page.getByRole("link", { name: "Open the API reference" });
    await link.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${server.url}/docs`);
  });

  test("shows snippets that name this server and a model that is at hand", async (context) => {
    const { server, page } = await open(context);
    await page.goto(server.url);
    await page.getByRole("tab", { name: "TypeScript" }).click();
    const code = await page.getByRole("tabpanel").innerText();
    expect(code).toContain(server.url);
    expect(code).toContain("anthropic/");
  });
});

describe("the reference", () => {
  test("shows every operation without reaching beyond the server", async (context) => {
    const { server, page, elsewhere, complaints } = await open(context);
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { summary: string; tags: string[] }>>;
    };
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    await page.goto(`${server.url}/docs`);
    const contents = page.locator("aside");
    await contents.getByText("Is the server up?").waitFor();
    const closed = contents.getByRole("button", { name: /^Open Group/ });
    while ((await closed.count()) > 0) await closed.first().click();
    const shown = (await contents.innerText()).split("\n");
    expect(operations.map(({ summary }) => summary).filter((summary) => !shown.includes(summary))).toEqual([]);
    // One of them whole: what to send stands there too.
    await contents.getByText("Create an agent", { exact: true }).click();
    await page.getByRole("heading", { level: 3, name: "Create an agent" }).waitFor();
    await page.locator("main").getByText("memory_blocks").first().waitFor();
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe("with a password", () => {
  const password = "correct horse";

  test("the page asks for it, refuses a wrong one, and keeps the right one until it is told to forget", async (context) => {
    const { server, page, elsewhere } = await open(context, { password });
    await page.goto(server.url);
    const field = page.getByLabel("Password");
    await field.fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toBe("That password was not accepted.");
    expect(await page.content()).not.toContain(server.memoir.location.path);
    await field.fill(password);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { level: 1, name: "Memoir is up." }).waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Memoir is up." }).waitFor();
    await page.getByRole("button", { name: "Forget the password" }).click();
    await field.waitFor();
    expect(elsewhere).toEqual([]);
  });

  test("the reference can be read", async (context) => {
    const { server, page, elsewhere } = await open(context, { password });
    await page.goto(`${server.url}/docs`);
    await page.getByRole("heading", { name: "Is the server up?" }).first().waitFor();
    expect(elsewhere).toEqual([]);
  });
});

/** The machine's own Chromium, driven from tests. It may reach one origin and nothing else, and everything it asks for is noted. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { onTestFinished, type TestContext } from "vitest";

const names = ["chromium", "chromium-browser", "google-chrome"];

function findChromium(): string | undefined {
  for (const name of names) {
    try {
      return execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // The next name, then.
    }
  }
  return undefined;
}

export interface Visit {
  readonly page: Page;
  /** Addresses of other origins that were asked for; none was reached. */
  readonly elsewhere: readonly string[];
  /** What the browser complained about: script errors, and what the security policy stopped. */
  readonly complaints: readonly string[];
}

/** A browser for one test, shown only what `origin` serves. Skips where there is no Chromium. */
export async function openBrowser(context: TestContext, origin: string): Promise<Visit> {
  const executablePath = findChromium();
  if (!executablePath) return context.skip("chromium: not installed, which .ci/run does");
  // Chromium's own sandbox refuses root; the pages it sees here are ours.
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  const browserContext = await browser.newContext({ serviceWorkers: "block" });
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  await browserContext.route(
    (url) => url.origin !== origin && !["data:", "blob:"].includes(url.protocol),
    async (route) => {
      elsewhere.push(route.request().url());
      await route.abort();
    },
  );
  const page = await browserContext.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") await keepPicture(page);
    await browser.close();
  });
  return { page, elsewhere, complaints };
}

async function keepPicture(page: Page): Promise<void> {
  const path = join(mkdtempSync(join(tmpdir(), "memoir-screenshot-")), "page.png");
  await page.screenshot({ path, fullPage: true });
  console.error(`What the browser showed: ${path}`);
}

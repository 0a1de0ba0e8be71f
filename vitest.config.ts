import { defineConfig } from "vitest/config";

// Vitest hands these to its workers, where "import" or "module" would mislead a require().
const conditions = ["memoir-source"];
// The big numbers live in *.long.ts files: `npm run test:long`.
const kinds = process.env.MEMOIR_TEST_LONG ? "{test,long}" : "test";
// These two build and install the whole program: a suite, and a budget, of their own.
const packages = ["conformance/packages/packages.test.ts", "conformance/packages/two-commands.test.ts"];
const unit = [`packages/*/src/**/*.${kinds}.{ts,tsx}`];
const conformance = [`conformance/**/*.${kinds}.ts`];
const slow = { testTimeout: 300_000, hookTimeout: 300_000 };
const exclude = ["**/node_modules/**"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    execArgv: ["--conditions=memoir-source", "--disable-warning=ExperimentalWarning"],
    globalSetup: ["conformance/support/global-setup.ts"],
    setupFiles: ["conformance/support/end-with-vitest.ts"],
    // No measures of speed: so long that only what hangs is given up, on a busy machine too.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: "forks",
    // Most wait for PostgreSQL most of the time: more than there are cores keep both busy.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: "unit", include: unit, exclude } },
      {
        extends: true,
        test: {
          name: "conformance",
          include: conformance,
          exclude: [...exclude, ...packages],
          ...slow,
        },
      },
      { extends: true, test: { name: "packages", include: packages, exclude, ...slow, fileParallelism: false } },
    ],
  },
});

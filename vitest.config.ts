import { defineConfig } from "vitest/config";

const conditions = ["memoir-source", "node", "import", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    execArgv: ["--conditions=memoir-source", "--disable-warning=ExperimentalWarning"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    projects: [
      { extends: true, test: { name: "unit", include: ["packages/*/src/**/*.test.ts"] } },
      { extends: true, test: { name: "conformance", include: ["conformance/**/*.test.ts"], fileParallelism: false, testTimeout: 180_000 } },
    ],
  },
});

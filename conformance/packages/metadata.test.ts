/** What the npm registry shows of each package. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/install.cjs";

const read = (folder: string) => JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));

test.for(readdirSync(join(ROOT, "packages")))("packages/%s names the same project as the others", (name) => {
  const { author, bugs, homepage, license, repository } = read(".");
  expect(read(`packages/${name}`)).toMatchObject({
    author,
    bugs,
    homepage,
    license,
    repository: { ...repository, directory: `packages/${name}` },
    keywords: expect.arrayContaining(["agents", "memory"]),
    publishConfig: { access: "public", provenance: true },
  });
});

/**
 * A command that takes the words of Docker, notes them, and runs what is to be run on this machine, without any walls: for
 * testing what is said to an engine, and how its answers are read, where there is no engine.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface FakeDocker {
  readonly program: string;
  /** The words of each use, oldest first. */
  listUses(): string[][];
  remove(): void;
}

/** Options with a value; all others of ours have none. */
const valued = [
  ...["--name", "--label", "--pull", "--network", "--ipc", "--cap-drop", "--security-opt", "--user", "--hostname"],
  ...["--tmpfs", "--workdir", "--pids-limit", "--cpus", "--memory", "--memory-swap", "--ulimit", "--log-driver"],
  ...["--env", "--mount", "--entrypoint"],
];

/** `images`: those it holds. Without any it behaves as if no engine answered. */
export function makeFakeDocker(images: readonly string[]): FakeDocker {
  const folder = mkdtempSync(join(tmpdir(), "memoir-docker-"));
  chmodSync(folder, 0o755);
  const [program, uses] = [join(folder, "docker"), join(folder, "uses")];
  mkdirSync(join(folder, "tmp"));
  writeFileSync(program, `#!${process.execPath}\n${script(folder, uses, images)}`);
  chmodSync(program, 0o755);
  return {
    program,
    listUses: () =>
      existsSync(uses)
        ? readFileSync(uses, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Paths inside the container become paths of the folder that stands for it. */
function script(folder: string, uses: string, images: readonly string[]): string {
  return `
const { appendFileSync, mkdirSync, symlinkSync, rmSync } = require("node:fs");
const { spawn } = require("node:child_process");
const { join, dirname } = require("node:path");
const words = process.argv.slice(2);
appendFileSync(${JSON.stringify(uses)}, JSON.stringify(words) + "\\n");
const images = ${JSON.stringify(images)};
const fail = (text, code) => { process.stderr.write(text + "\\n"); process.exit(code); };
if (images.length === 0) fail("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", 1);
if (words[0] === "image" && !images.includes(words.at(-1))) fail("Error: No such image: " + words.at(-1), 1);
if (words[0] === "image") console.log("sha256:" + Buffer.from(words.at(-1)).toString("hex"));
if (words[0] !== "run") process.exit(0);
const valued = ${JSON.stringify(valued)};
const given = [];
let place = 1;
while (words[place].startsWith("-")) {
  const takes = valued.includes(words[place]);
  given.push([words[place], takes ? words[place + 1] : ""]);
  place += takes ? 2 : 1;
}
const of = (name) => given.filter(([key]) => key === name).map(([, value]) => value);
if (!images.includes(words[place])) fail("Unable to find image '" + words[place] + "' locally", 125);
const root = join(${JSON.stringify(folder)}, of("--name")[0]);
mkdirSync(join(root, "tmp"), { recursive: true });
const inside = (text) => text.replace(/(^|[\\s<>+=])\\/(tmp|packages|scratch|node_modules|run\\/memoir)(?=[\\/\\s*]|$)/g, "$1" + root + "/$2");
for (const mount of of("--mount")) {
  const [, source, target] = mount.match(/source=([^,]*),target=([^,]*)/);
  mkdirSync(dirname(join(root, target)), { recursive: true });
  symlinkSync(source, join(root, target));
}
const environment = { PATH: dirname(process.execPath) + ":/usr/local/bin:/usr/bin:/bin" };
for (const each of of("--env")) {
  const [name, ...value] = each.split("=");
  environment[name] = value.length > 0 ? inside(value.join("=")) : process.env[name];
}
const rest = words.slice(place + 1);
const isRunner = (text) => text.length > 500;
const child = spawn(of("--entrypoint")[0], rest.map((word) => (isRunner(word) ? word : inside(word))), {
  cwd: join(root, of("--workdir")[0]),
  env: environment,
  stdio: "inherit",
});
child.on("close", (code) => {
  rmSync(root, { recursive: true, force: true });
  process.exit(code ?? 1);
});
`;
}

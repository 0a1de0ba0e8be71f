/** A package index for tests, in the protocols of pip and npm, with packages of a few lines each. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32, gzipSync } from "node:zlib";

export interface TestPackage {
  readonly name: string;
  readonly version: string;
  /** By path, within the package. */
  readonly files: Readonly<Record<string, string>>;
}

export interface PackageIndex {
  readonly address: string;
  /** What was asked for. */
  readonly requests: string[];
  close(): Promise<void>;
}

export interface PackageIndexOptions {
  readonly wheels?: readonly TestPackage[];
  readonly tarballs?: readonly TestPackage[];
  /** Names of packages of Python that would have to be built. */
  readonly sources?: readonly string[];
  /** Waited for before each answer. */
  readonly gate?: () => Promise<void>;
}

export async function startPackageIndex(options: PackageIndexOptions): Promise<PackageIndex> {
  const answers = new Map<string, () => Buffer | string>();
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const url = request.url ?? "";
    requests.push(url);
    await options.gate?.();
    const answer = answers.get(url)?.();
    response.writeHead(answer === undefined ? 404 : 200, {
      "Content-Type": url.startsWith("/simple/") ? "text/html" : "application/json",
    });
    response.end(answer ?? "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const wheel of options.wheels ?? []) addWheel(answers, wheel);
  for (const name of options.sources ?? []) {
    answers.set(`/simple/${name}/`, () => `<!DOCTYPE html><a href="/files/${name}-1.0.tar.gz">${name}-1.0.tar.gz</a>`);
  }
  for (const tarball of options.tarballs ?? []) addTarball(answers, address, tarball);
  return {
    address,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type Answers = Map<string, () => Buffer | string>;

function addWheel(answers: Answers, { name, version, files }: TestPackage): void {
  const info = `${name}-${version}.dist-info`;
  const entries = {
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: "",
  };
  const wheel = writeZip(entries);
  const file = `${name}-${version}-py3-none-any.whl`;
  answers.set(`/files/${file}`, () => wheel);
  answers.set(`/simple/${name}/`, () => `<!DOCTYPE html><a href="/files/${file}">${file}</a>`);
}

function addTarball(answers: Answers, address: string, { name, version, files }: TestPackage): void {
  const manifest = { name, version, main: "index.js", ...JSON.parse(files["package.json"] ?? "{}") };
  const tarball = gzipSync(writeTar({ ...files, "package.json": JSON.stringify(manifest) }));
  const path = `/${name}/-/${name}-${version}.tgz`;
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: `${address}${path}`, integrity };
  answers.set(path, () => tarball);
  answers.set(`/${name}`, () =>
    JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } }),
  );
}

/** Without compression. */
function writeZip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    locals.push(Buffer.from("PK\x03\x04", "latin1"), common, name, data);
    directory.push(Buffer.from("PK\x01\x02\x14\0", "latin1"), common, rest, name);
    offset += 30 + name.length + data.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, list, end]);
}

function writeTar(files: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(files).flatMap(([path, text]) => {
    const data = Buffer.from(text);
    const head = Buffer.alloc(512);
    head.write(`package/${path}`, 0);
    head.write("0000644\0", 100);
    head.write("0000000\x000000000\0", 108);
    head.write(`${data.length.toString(8).padStart(11, "0")}\0`, 124);
    head.write("00000000000\0        0", 136);
    head.write("ustar\x0000", 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [head, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

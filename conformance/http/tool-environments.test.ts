/** What tools require, over HTTP. */
import { expect, test } from "vitest";
import { startServer } from "../support/server.ts";

const source = 'def greet():\n    """Greets."""\n    import greeter\n    return greeter.greet()\n';

test("how far a tool's packages are can be read, and asked for again", async (context) => {
  const { url } = await startServer("sqlite", context);
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${url}/v1/${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const { body: tool } = await ask("POST", "tools/", { source_code: source, pip_requirements: [{ name: "greeter" }] });
  const path = `memoir/tools/${tool.id}/environment`;
  expect((await ask("POST", path)).body).toMatchObject({ tool_id: tool.id, sandbox: "local", packages: ["greeter"] });
  await expect.poll(async () => (await ask("GET", path)).body.status).toBe("failed");
  const { body: failed } = await ask("GET", path);
  expect(failed).toMatchObject({ error: /^greeter could not be installed/, progress: null, bytes: null });
  expect((await ask("GET", "memoir/tool-environments")).body).toEqual([failed]);
  const run = { source_code: source, args: {}, pip_requirements: [{ name: "greeter" }] };
  expect((await ask("POST", "tools/run", run)).body).toMatchObject({
    status: "error",
    tool_return: /greeter could not/,
  });
  expect((await ask("GET", "memoir/tools/tool-00000000-0000-4000-8000-000000000000/environment")).status).toBe(404);
  expect((await ask("GET", "memoir/tools/nonsense/environment")).status).toBe(422);
  const odd = { source_code: source, pip_requirements: [{ name: "--index-url=http://elsewhere" }] };
  expect(await ask("POST", "tools/", odd)).toMatchObject({ status: 400, body: { detail: /pip_requirements names/ } });
  const config = { config: { sandbox: "moon" } };
  expect((await ask("POST", "sandbox-config/", config)).status).toBe(422);
});

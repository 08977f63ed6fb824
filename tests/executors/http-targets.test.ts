import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import type { JsonObject } from "../../schema/contract/json.ts";
import { selfSigned } from "../support/certificate.ts";
import { temporaryState } from "../support/executor-context.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

/** Two servers that the agent trusts, and one whose certificate it does not know. */
const NAMES = ["one", "two", "stranger"] as const;
const seen: string[] = [];
const servers: Server[] = [];
const hosts: Record<string, string> = {};
let agent: TrustingAgent;
let state: Awaited<ReturnType<typeof temporaryState>>;
beforeAll(async () => {
  const [known, stranger] = [await selfSigned("DNS:localhost"), await selfSigned("DNS:localhost")];
  for (const name of NAMES) {
    const server = createServer(name === "stranger" ? stranger : known, ({ url, headers }, response) => {
      seen.push(`${name} ${url} ${headers.authorization ?? "without a credential"}`);
      if (url === "/v2/away") response.writeHead(302, { location: `https://${hosts["two"]}/v2/x` }).end();
      else if (url === "/v2/within") response.writeHead(302, { location: "/v2/x" }).end();
      else response.end(name);
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    const address = server.address();
    hosts[name] = `localhost:${address !== null && typeof address === "object" ? address.port : 0}`;
    servers.push(server);
  }
  state = await temporaryState();
  const authority = join(state.path, "authority.pem");
  await writeFile(authority, known.cert);
  agent = new TrustingAgent(authority);
});
afterAll(async () => {
  await agent.stop();
  for (const server of servers) server.close();
  await state.remove();
});
beforeEach(() => {
  seen.length = 0;
});

const run = (target: string, params: JsonObject, config: JsonObject = {}) =>
  agent.run({
    type: "http",
    config: { targets: Object.values(hosts), basePath: "/v2/", authType: "bearer", ...config },
    secrets: config["authType"] === "none" ? null : { token: "t0ken-of-the-test" },
    target: hosts[target] ?? "",
    action: "http.request",
    params,
  });

describe("an HTTP connection to several hosts", () => {
  test("sends each request below its base path to the host that the job names, with the credential", async () => {
    for (const name of ["one", "two"]) {
      const { output } = await run(name, { path: "users?x=1" });
      expect(output).toMatchObject({ statusCode: 200, body: name });
    }
    expect(seen).toEqual(["one", "two"].map((name) => `${name} /v2/users?x=1 Bearer t0ken-of-the-test`));
  });

  test("checks the certificate of every host", async () => {
    const { error } = await run("stranger", { path: "x" });
    expect(error).toMatchObject({ code: "tls_error", message: expect.not.stringContaining("verifySsl") });
    expect(seen).toEqual([]);
  });

  test.each(["bearer", "none"])("sends nothing to a url of another host, with the authType %s", async (authType) => {
    for (const url of [`https://${hosts["two"]}/v2/x`, `https://${hosts["one"]}/admin`, "http://localhost/v2/x"]) {
      expect([url, (await run("one", { url }, { authType })).error?.code]).toEqual([url, "invalid_params"]);
    }
    expect(seen).toEqual([]);
    expect((await run("one", { url: `https://${hosts["one"]}/v2/x` }, { authType })).status).toBe("succeeded");
  });

  test.each(["bearer", "none"])("follows a redirect only within the host, with the authType %s", async (authType) => {
    const credential = authType === "none" ? "without a credential" : "Bearer t0ken-of-the-test";
    expect((await run("one", { path: "away" }, { authType })).error?.code).toBe("redirect_not_followed");
    expect((await run("one", { path: "within" }, { authType })).output).toMatchObject({ body: "one" });
    expect(seen).toEqual(["/v2/away", "/v2/within", "/v2/x"].map((path) => `one ${path} ${credential}`));
  });
});

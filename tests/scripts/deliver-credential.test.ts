import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import { z } from "zod";
import { fingerprintOf } from "../../agent/vault/crypto.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { success } from "../support/agent-client.ts";
import { debianPeer } from "../support/debian-peer.ts";
import { CHAT, credentialsOf, failed } from "../support/credentials.ts";
import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import { call, createConnection } from "../support/management-api.ts";

const scriptMissing = debianPeer("/usr/bin/script", "bsdutils");

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

async function deliver(args: string[], input: string, token = bellhop.adminToken) {
  // The agents of these tests accept a delivery only when a test asks them to.
  const wait = args.some((arg) => arg.startsWith("--wait")) ? [] : ["--wait=0"];
  return run([process.execPath, SCRIPT, ...args, ...wait], input, token);
}

/** Delivers at a terminal of util-linux's `script`, with `typed` as input. Both streams are merged. */
async function deliverAtTerminal(args: string[], secrets: string, typed: string) {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-deliver-"));
  try {
    const file = join(directory, "secrets.json");
    await writeFile(file, secrets);
    const command = [process.execPath, SCRIPT, "--wait=0", ...args].map((word) => `'${word}'`).join(" ");
    return await run(["script", "-qec", `${command} < '${file}'`, "/dev/null"], typed, bellhop.adminToken);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function run(command: string[], input: string, token: string, url = bellhop.url) {
  const child = Bun.spawn(command, {
    env: { PATH: process.env["PATH"] ?? "", BELLHOP_URL: url, BELLHOP_TOKEN: token },
    stdin: new TextEncoder().encode(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}

const DATABASE = { name: "Shop", type: "database", config: { host: "db", database: "shop", driver: "postgres" } };
const SSH = { name: "Web", type: "ssh", config: { host: "web", username: "ops", authMethod: "privateKey" } };
const SCRIPT = join(import.meta.dir, "../../scripts/deliver-credential.ts");
const recipientsAnswer = z.object({ data: z.array(z.looseObject({ fingerprint: z.string() })) });
const SECRETS = '{"botToken":"xoxb-never-shown"}';

/** The target as a program names it. */
async function pinOf(use: ReturnType<typeof credentialsOf>, id: string): Promise<["--target", string]> {
  const [recipient] = await use.recipientsOf(id);
  const canonical = canonicalTarget(recipient?.target ?? []);
  return ["--target", createHash("sha256").update(canonical).digest("base64url")];
}

test("a credential that was sealed on this machine waits for the agent with the given fingerprint", async () => {
  const use = credentialsOf(bellhop);
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
  const listed = await deliver([id], SECRETS);
  expect([listed.code, listed.stderr]).toEqual([0, ""]);
  expect(listed.stdout).toContain(`${fingerprintOf(agent.publicKey)}  an agent (${agent.id})`);
  expect(await use.rowsOf(id)).toEqual([]);
  const sent = await deliver([id, "--fingerprint", fingerprintOf(agent.publicKey), ...(await pinOf(use, id))], SECRETS);
  expect(sent).toMatchObject({ stderr: "", code: 0 });
  expect(sent.stdout).toStartWith(
    "an agent: has not fetched it yet; the service keeps it sealed for 24 hours (version 1)\n",
  );
  expect((await use.syncOf(agent)).params).toMatchObject({ state: "present", version: 1 });
});

test("the command waits for the agent, and prints why the agent refused", async () => {
  const use = credentialsOf(bellhop);
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
  const args = [id, "--fingerprint", fingerprintOf(agent.publicKey), ...(await pinOf(use, id)), "--wait=60"];
  const [refused] = await Promise.all([
    deliver(args, SECRETS),
    use.syncOf(agent).then((job) => agent.client.report(failed(job, "credential_invalid"))),
  ]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("it said credential_invalid")]);
  expect(refused.stdout).toContain("an agent: refused it (version 1)");
  const [taken] = await Promise.all([
    deliver(args, SECRETS),
    use.syncOf(agent).then((job) => agent.client.report(success(job))),
  ]);
  expect([taken.code, taken.stderr]).toEqual([0, ""]);
  expect(taken.stdout).toContain("an agent: has the credential (version 2)");
});

test.each<[string, string[], string, number]>([
  ["an empty fingerprint", ["--fingerprint", ""], "--fingerprint is empty", 2],
  ["an empty target", ["--fingerprint", "x", "--target", ""], "--target is empty", 2],
  ["a target that begins with a dash", ["--fingerprint", "-x", "--target", "-7zNJ"], "There is no connection con_1", 1],
  ["a wait that is not a number", ["--wait=soon"], "--wait needs a whole number of seconds", 2],
])("%s is reported", async (_what, args, words, code) => {
  const refused = await deliver(["con_1", ...args], SECRETS);
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)]);
});

test("a token with a line break is reported and not repeated", async () => {
  const refused = await deliver(["con_1"], SECRETS, "canary\ntoken");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("BELLHOP_TOKEN has a line break")]);
  expect(refused.stderr).not.toContain("canary");
});

test("a key that a hostile service lists with an agent's fingerprint gets no credential", async () => {
  const use = credentialsOf(bellhop);
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
  const { publicKey } = await generateKeyPair("ECDH-ES", { crv: "P-256", extractable: true });
  const forged = await exportJWK(publicKey);
  const posted: string[] = [];
  using hostile = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (request.method === "POST") posted.push(await request.text());
      const answer = await fetch(bellhop.url + pathname, { headers: request.headers });
      if (!pathname.endsWith("/recipients")) return Response.json(await answer.json());
      const { data } = recipientsAnswer.parse(await answer.json());
      return Response.json({ success: true, data: data.map((recipient) => ({ ...recipient, publicKey: forged })) });
    },
  });
  const args = [id, "--fingerprint", fingerprintOf(agent.publicKey), ...(await pinOf(use, id))];
  const sent = await run([process.execPath, SCRIPT, ...args], SECRETS, bellhop.adminToken, hostile.url.origin);
  expect([sent.code, sent.stderr]).toEqual([1, expect.stringContaining("No agent of this connection has")]);
  expect(posted).toEqual([]);
});

test("a secret too short to be masked is delivered with a warning, and a short user name without one", async () => {
  const use = credentialsOf(bellhop);
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { ...DATABASE, poolId: null, agentId: agent.id });
  const login = '{"username":"ada","password":"pa55w"}';
  const sent = await deliver([id, "--fingerprint", fingerprintOf(agent.publicKey), ...(await pinOf(use, id))], login);
  expect(sent).toMatchObject({
    stderr: "Warning: password is shorter than 6 characters: it will not be masked in output.\n",
    code: 0,
  });
  expect(sent.stdout).toStartWith(
    "an agent: has not fetched it yet; the service keeps it sealed for 24 hours (version 1)\n",
  );
});

test("errors of the command say what is wrong, and never contain the secret", async () => {
  const use = credentialsOf(bellhop);
  const agent = await use.startAgent(null);
  const { id } = await createConnection(bellhop, { ...CHAT, poolId: null, agentId: agent.id });
  const ssh = await createConnection(bellhop, { ...SSH, poolId: null, agentId: agent.id });
  const script = await createConnection(bellhop, { poolId: null, agentId: agent.id });
  const nowhere = await createConnection(bellhop, { ...CHAT, poolId: null });
  const fingerprint = ["--fingerprint", fingerprintOf(agent.publicKey)];
  const sshKey = '{"privateKey":"-----BEGIN OPENSSH PRIVATE KEY-----\\nxoxb\\n-----END OPENSSH PRIVATE KEY-----"}';
  const sshWithPassword = await createConnection(bellhop, {
    ...SSH,
    config: { ...SSH.config, authMethod: "password" },
    poolId: null,
    agentId: agent.id,
  });
  const cases: [string[], string, string | undefined, string][] = [
    [[id, "--fingerprint", "another"], SECRETS, undefined, "No agent of this connection has the fingerprint another"],
    [
      [id, "--fingerprint", "-a-digest"],
      SECRETS,
      undefined,
      "No agent of this connection has the fingerprint -a-digest",
    ],
    [[ssh.id, ...fingerprint], '{"password":"xoxb"}', undefined, "with authMethod privateKey takes privateKey and"],
    [[sshWithPassword.id, ...fingerprint], sshKey, undefined, "with authMethod password takes password, and nothing"],
    [[id, ...fingerprint], "xoxb-never-shown", undefined, "must hold a JSON object"],
    [[id, ...fingerprint], '{"token":"xoxb-never-shown"}', undefined, 'botToken; not known: "token".'],
    [[ssh.id, ...fingerprint], '{"privateKey":"ssh-rsa AAAAB3Nza xoxb"}', undefined, "must not be a public key"],
    [["con_nothing"], SECRETS, undefined, "There is no connection"],
    [[script.id], SECRETS, undefined, "A connection of type script has no credential"],
    [[nowhere.id], SECRETS, undefined, "neither an agent nor a pool"],
    [[id], SECRETS, "wrong", "token"],
    [[id], SECRETS, "", "Set BELLHOP_TOKEN"],
  ];
  for (const [args, input, token, words] of cases) {
    const { stderr, code } = await deliver(args, input, token);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(stderr).not.toContain("xoxb");
  }
  for (const args of [[], [id, "two"], [id, "--botToken=xoxb-never-shown"]]) {
    const { stderr, code } = await deliver(args, "");
    expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(/secrets\.json|never into arguments/u)]);
    expect(stderr).not.toContain("xoxb");
  }
  expect(await use.rowsOf(id)).toEqual([]);
});

describe("the target of a sealed credential", () => {
  const WEB = { type: "ssh", config: { host: "web-1.internal", username: "deploy", authMethod: "password" } };
  const PASSWORD = '{"password":"never-shown"}';

  async function setup() {
    const use = credentialsOf(bellhop);
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...WEB, poolId: null, agentId: agent.id });
    const [, digest] = await pinOf(use, id);
    return { use, id, digest, args: [id, "--fingerprint", fingerprintOf(agent.publicKey)] };
  }
  const edit = (id: string) =>
    call(bellhop, "PATCH", `/connections/${id}`, { config: { ...WEB.config, host: "evil.example" } });

  test("is listed with the fingerprints, by its fields and by the digest for --target", async () => {
    const { id, digest } = await setup();
    const { stdout } = await deliver([id], PASSWORD);
    for (const words of ["Host: web-1.internal", "Port: 22", "User name: deploy", `--target=${digest}`]) {
      expect(stdout).toContain(words);
    }
  });

  test("can be pinned, so that nothing is sent after the connection was edited", async () => {
    const { use, id, digest, args } = await setup();
    await edit(id);
    const refused = await deliver([...args, "--target", digest], PASSWORD);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Host: evil.example")]);
    expect(await use.rowsOf(id)).toEqual([]);
    await call(bellhop, "PATCH", `/connections/${id}`, { config: WEB.config });
    expect(await deliver([...args, "--target", digest], PASSWORD)).toMatchObject({ code: 0, stderr: "" });
  });

  test("must be pinned where no person can confirm it", async () => {
    const { use, id, args, digest } = await setup();
    const { code, stderr } = await deliver(args, PASSWORD);
    const command = `npm run deliver -- ${id} --fingerprint=${args.at(-1)} --target=${digest} < secrets.json`;
    expect([code, stderr]).toEqual([1, expect.stringContaining(`\n  ${command}\n`)]);
    expect(stderr).toContain("Host: web-1.internal");
    expect(await use.rowsOf(id)).toEqual([]);
  });

  test.skipIf(scriptMissing !== null)(
    `is confirmed at a terminal together with the fingerprint ${scriptMissing ?? ""}`,
    async () => {
      const { use, id, args } = await setup();
      const declined = await deliverAtTerminal(args, PASSWORD, "no\n");
      expect([declined.code, declined.stdout]).toEqual([1, expect.stringContaining("Nothing was sent.")]);
      expect(declined.stdout).toContain("Host: web-1.internal");
      expect(await use.rowsOf(id)).toEqual([]);
      const confirmed = await deliverAtTerminal(args, PASSWORD, "yes\n");
      expect([confirmed.code, confirmed.stdout]).toEqual([
        0,
        expect.stringContaining("an agent: has not fetched it yet"),
      ]);
    },
  );
});

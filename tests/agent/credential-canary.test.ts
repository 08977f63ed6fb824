import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { formsOfSecrets } from "../../agent/mask-forms.ts";
import { targetFor } from "../support/bound-credential.ts";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { onAnyCommandLine } from "../support/processes.ts";
import { sealFor, syncJob } from "../support/sealed-credential.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import { AgentHome } from "./agent-process.ts";

const SECRETS = {
  username: "cAnArY-user-27f1",
  password: "cAnArY+/'\"pass\\wö-93b1",
  PEM: "-----BEGIN KEY-----\ncAnArY/line+one/5c2d\r\ncAnArY/line+two/8a4e\n-----END KEY-----\n",
};
const FORMS = formsOfSecrets(SECRETS);

/** `place: form` for each form of a secret in the text. */
const foundIn = (place: string, text: string): string[] =>
  FORMS.filter((form) => text.includes(form)).map((form) => `${place}: ${form}`);

const plaintextFor = (agentId: string, version: number) => ({
  agentId,
  connectionId: "con_1",
  version,
  target: targetFor("custom", { fields: {} }),
  secrets: SECRETS,
});

test("a delivered secret is nowhere in the agent's traffic, log, environment or files, and only sealed in the vault", async () => {
  const service = await FakeService.start();
  const bytes: Buffer[] = [];
  const relay = await startTcpRelay(Number(new URL(service.url).port), (chunk) => bytes.push(chunk));
  const home = await AgentHome.make();
  try {
    const agent = await home.start(`http://127.0.0.1:${relay.port}`);
    const publicKey = (await eventually("the registration", () => service.registrations[0])).publicKey;
    const sync = (plaintext: object, version: number, type: "custom" | "ssh" = "custom") => {
      const jwe = sealFor(publicKey, plaintext);
      return service.enqueue(syncJob({ state: "present", version, jwe }, { type })).id;
    };
    // The agent opens refused deliveries, too: for other agents or connections, or of another shape.
    const refused = [
      sync(plaintextFor("agt_other", 1), 1),
      sync({ ...plaintextFor(service.agentId, 1), connectionId: "con_2" }, 1),
      sync({ ...plaintextFor(service.agentId, 1), [SECRETS.username]: 1, secrets: [SECRETS.password] }, 1),
      sync(
        { ...plaintextFor(service.agentId, 1), target: [{ type: "custom", [SECRETS.username]: SECRETS.password }] },
        1,
      ),
      sync(
        { ...plaintextFor(service.agentId, 1), target: undefined, secrets: { [SECRETS.username]: SECRETS.password } },
        1,
        "ssh",
      ),
    ];
    for (const id of refused) {
      const [result] = await eventually("the refusal", () => service.resultsOf(id).length > 0 && service.resultsOf(id));
      expect(result?.status).toBe("failed");
    }
    const delivered = sync(plaintextFor(service.agentId, 1), 1);
    await eventually("the delivery", () => service.resultsOf(delivered)[0]?.status === "succeeded");
    await eventually("the heartbeat", () => service.heartbeats.at(-1)?.credentials[0]?.version === 1);

    // A job uses the secret and prints it in several encodings.
    const script = `printf '%s\\n' "$password" "$PEM"; printf %s "$PEM" | base64 -w0; printf '{"p":"%s"}' "$username" >&2; exit 1`;
    const connection = { id: "con_1", type: "custom" as const, config: { fields: {} } };
    const job = service.enqueue({ connection, params: { script } }).id;
    await eventually("the job", () => service.resultsOf(job).length > 0);
    expect(service.resultsOf(job)[0]?.output?.["stdout"]).toContain("***");

    const environment = await readFile(`/proc/${agent.pid}/environ`, "latin1");
    expect(FORMS.filter(onAnyCommandLine)).toEqual([]);
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
    const found = [...foundIn("environment", environment), ...foundIn("log", agent.log())];
    for (const entry of await readdir(home.directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      found.push(...foundIn(entry.name, await readFile(`${entry.parentPath}/${entry.name}`, "utf8")));
    }
    const sent = Buffer.concat(bytes).toString("utf8");
    found.push(...foundIn("wire", sent), ...foundIn("results", JSON.stringify(service.results)));
    expect(found).toEqual([]);
    // Proof that the search had data: the agent's own traffic, and its vault.
    expect(sent).toContain(`"jobId":"${delivered}"`);
    const vault = z.object({ credentials: z.array(z.object({ connectionId: z.string(), version: z.int() })) });
    expect(vault.parse(JSON.parse(await home.text("vault.json"))).credentials).toMatchObject([
      { connectionId: "con_1", version: 1 },
    ]);
  } finally {
    await home.remove();
    await relay.close();
    await service.stop();
  }
  expect(service.violations).toEqual([]);
});

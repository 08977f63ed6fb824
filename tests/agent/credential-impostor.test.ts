import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { EXIT } from "../../agent/exit-codes.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import type { TcpRelay } from "../support/tcp-relay.ts";
import { AgentHome } from "./agent-process.ts";
import { runCommand } from "./command-process.ts";

const SECRET = "canary-8e";
const COMMANDS = [["list"], ["set", "con_1", "--name", "password"], ["delete", "con_1"]];
let service: FakeService;
let home: AgentHome;
let impostor: ReturnType<typeof Bun.serve>;
let relay: TcpRelay;
/** Every byte that the command sent. */
let sent: string;
let answer: (request: Request) => Response;

beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
  impostor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => answer(request) });
  sent = "";
});
afterEach(async () => {
  await relay.close();
  await impostor.stop(true);
  await home.remove();
  await service.stop();
});

/** A running agent whose noted address leads to the impostor, or through a relay to the agent itself. */
async function misled({ to }: { to: "impostor" | "agent" }): Promise<void> {
  const agent = await home.start(service.url);
  const port = to === "agent" ? Number(new URL(await agent.adminUrl()).port) : (impostor.port ?? 0);
  await agent.adminUrl();
  relay = await startTcpRelay(port, (chunk) => {
    sent += chunk.toString("latin1");
  });
  await writeFile(home.path("vault.admin-url"), `http://127.0.0.1:${relay.port}\n`, { mode: 0o600 });
}

async function expectNothingSent(): Promise<void> {
  const token = (await home.text("admin-token")).trim();
  expect(token).toHaveLength(43);
  expect(sent).toContain("GET /v1/proof ");
  expect(sent.match(/HTTP\/1\.1/gu)).toHaveLength(1);
  for (const secret of [token, SECRET, FAKE_AGENT_KEY]) expect(sent).not.toContain(secret);
}

/** A problem document that the command can read. */
function problem(code: string, status: number): Response {
  const timestamp = "2026-11-21T10:00:00.000Z";
  const body = { type: "about:blank", title: "x", status, code, detail: "x", timestamp, instance: "/v1/proof" };
  return Response.json(body, { status });
}

const proofIn = (request: Request) => (request.headers.get("Authorization") ?? "").split(".")[1];

const impostors: [string, (request: Request) => Response, { code: number; says: string }][] = [
  [
    "accepts everything",
    () => Response.json({ success: true, data: [] }),
    { code: EXIT.unavailable, says: "did not prove that it is the agent" },
  ],
  [
    "invents a proof",
    () => Response.json({ success: true, data: { proof: "A".repeat(43) } }),
    { code: EXIT.unavailable, says: "find the program that listens there and end it, then restart the agent" },
  ],
  [
    "returns the command's own proof",
    (request) => Response.json({ success: true, data: { proof: proofIn(request) } }),
    { code: EXIT.unavailable, says: "did not prove that it is the agent" },
  ],
  [
    "redirects elsewhere",
    () => Response.redirect("http://127.0.0.1:9/v1/credentials"),
    { code: EXIT.unavailable, says: "did not prove that it is the agent" },
  ],
  [
    "answers like an agent of an earlier version",
    () => problem("unauthorized", 401),
    { code: EXIT.unavailable, says: "restart the agent with this version" },
  ],
];

describe("credentials sends neither token nor secret to a program that", () => {
  test.each(impostors)("%s", async (_what, answers, { code, says }) => {
    answer = answers;
    await misled({ to: "impostor" });
    for (const command of COMMANDS) {
      sent = "";
      const done = await runCommand(home, ["credentials", ...command], { input: SECRET });
      expect(done).toMatchObject({ code, stdout: "" });
      expect(done.stderr).toContain(says);
      await expectNothingSent();
    }
  });

  test("relays everything to the agent from another port", async () => {
    await misled({ to: "agent" });
    for (const command of COMMANDS) {
      sent = "";
      const done = await runCommand(home, ["credentials", ...command], { input: SECRET });
      expect(done).toMatchObject({ code: EXIT.notAllowed, stdout: "" });
      expect(done.stderr).toContain("another program listens at this address");
      await expectNothingSent();
    }
  });
});

test("doctor sends no token to an impostor, and warns about it", async () => {
  answer = () => Response.json({ success: true, data: {} });
  await misled({ to: "impostor" });
  const env = { AGENT_API_URL: service.url, AGENT_API_KEY: FAKE_AGENT_KEY };
  const { stdout } = await runCommand(home, ["doctor"], { env });
  expect(stdout).toMatch(/^warn +admin port +the program at \S+ did not prove that it is the agent/mu);
  await expectNothingSent();
});

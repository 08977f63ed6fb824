import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { mintEnrolmentCode } from "../../../worker/services/keys.ts";
import { startBellhop } from "../../support/bellhop.ts";
import type { Bellhop } from "../../support/bellhop.ts";
import { eventually } from "../../support/eventually.ts";
import { call, createAgent } from "../../support/management.ts";
import { AgentHome } from "../agent-process.ts";
import { runCommand, typeAtCommand } from "../command-process.ts";

/** `bellhop-agent enrol` at the real service. */
let bellhop: Bellhop;
let home: AgentHome;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());
beforeEach(async () => {
  home = await AgentHome.make();
});
afterEach(() => home.remove());

async function newCode(): Promise<{ id: string; code: string }> {
  const { agent } = await createAgent(bellhop);
  const made = await call(bellhop, "POST", `/agents/${agent.id}/enrolment`, undefined, z.object({ code: z.string() }));
  return { id: agent.id, code: made.code };
}

function enrol(options: { code?: string; input?: string; args?: string[]; env?: Record<string, string> } = {}) {
  const { code, input = "", args = [], env = {} } = options;
  const variable: Record<string, string> = code === undefined ? {} : { BELLHOP_ENROLMENT_CODE: code };
  return runCommand(home, ["enrol", ...args], { env: { AGENT_API_URL: bellhop.url, ...variable, ...env }, input });
}

describe("bellhop-agent enrol", () => {
  test("writes the key beside the vault for this account alone, and the agent runs with it", async () => {
    const { code } = await newCode();
    const { code: exitCode, stdout, stderr } = await enrol({ code });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const path = home.path("agent.key");
    expect(stdout).toContain(`AGENT_API_KEY_FILE=${path}`);
    expect((await stat(path)).mode & 0o777).toBe(0o400);
    const key = (await readFile(path, "utf8")).trim();
    expect([stdout.includes(code), stdout.includes(key)]).toEqual([false, false]);
    const agent = await home.start(bellhop.url, { env: { AGENT_API_KEY: "", AGENT_API_KEY_FILE: path } });
    await eventually("the registration", () => agent.log().includes('"registered"'));
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
  });

  test("reads the code from standard input, and writes to the file that is named", async () => {
    const { code } = await newCode();
    const path = home.path("secrets/agent.key");
    expect(await enrol({ input: `${code}\n`, args: ["--key-file", path] })).toMatchObject({ code: 0, stderr: "" });
    expect(await readFile(path, "utf8")).toMatch(/^bh/u);
  });

  test("asks for the code at a terminal, which does not show it", async () => {
    const { code } = await newCode();
    const { code: exitCode, screen } = await typeAtCommand(
      home,
      ["enrol", "--url", bellhop.url],
      [{ after: "enrolment code", type: `${code}\r` }],
    );
    expect(exitCode).toBe(0);
    expect(screen).not.toContain(code.slice(0, 10));
  });

  test("leaves an existing key, and the code stays valid", async () => {
    const { code } = await newCode();
    await writeFile(home.path("agent.key"), "the key of another agent");
    const refused = await enrol({ code });
    expect([refused.code, refused.stderr]).toEqual([73, expect.stringContaining("exists already")]);
    expect(await home.text("agent.key")).toBe("the key of another agent");
    expect((await enrol({ code, args: ["--key-file", home.path("other.key")] })).code).toBe(0);
  });

  test.each<[string, () => Promise<string>, number, string]>([
    [
      "was used",
      async () => {
        const { code } = await newCode();
        await enrol({ code, args: ["--key-file", home.path("first.key")] });
        return code;
      },
      65,
      "Create another code",
    ],
    [
      "another deployment made",
      async () => mintEnrolmentCode("another deployment"),
      65,
      "Copy the whole command again",
    ],
    ["was cut", async () => "bhe_short", 65, "must have the form bhe_<43 characters>"],
    [
      "is an agent key",
      async () => `bh${"a".repeat(10)}_${"b".repeat(43)}`,
      65,
      "must have the form bhe_<43 characters>",
    ],
    ["is missing", async () => "", 64, "there is no enrolment code"],
  ])("leaves no file, and does not repeat the code, when the code %s", async (_, codeOf, exitCode, said) => {
    const code = await codeOf();
    const refused = await enrol({ code });
    expect([refused.code, refused.stderr]).toEqual([exitCode, expect.stringContaining(said)]);
    if (code !== "") expect(refused.stdout + refused.stderr).not.toContain(code);
    expect(await home.text("agent.key")).toBe("");
  });

  test("says what to check when the service does not answer", async () => {
    const refused = await enrol({ code: mintEnrolmentCode("any"), env: { AGENT_API_URL: "http://127.0.0.1:9" } });
    expect([refused.code, refused.stderr]).toEqual([69, expect.stringContaining("Check the network")]);
  });

  test("refuses plain http to another machine, before the code leaves this one", async () => {
    const refused = await enrol({
      code: mintEnrolmentCode("any"),
      env: { AGENT_API_URL: "http://bellhop.example.com" },
    });
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining("AGENT_API_URL")]);
  });

  test("takes no code as an argument, and does not repeat it", async () => {
    const { code } = await newCode();
    const refused = await enrol({ args: [code] });
    expect(refused.code).toBe(64);
    expect(refused.stderr).not.toContain(code);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, copyFile, writeFile } from "node:fs/promises";
import { parseEnvFile } from "../../../agent/commands/env-file.ts";
import { buildAgent } from "../../../scripts/build-agent.ts";
import { selfSigned } from "../../support/certificate.ts";
import { eventually } from "../../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../../support/fake-service.ts";
import { ServiceFront } from "../../support/service-front.ts";
import { AgentHome } from "../agent-process.ts";
import { runCommand } from "../command-process.ts";

describe("an env file", () => {
  test("has one literal NAME=value per line, and skips comments and blank lines", () => {
    const text = "\uFEFF# one\r\n; two\n\nA=1\n B = x y \nC=$HOME `id` #no comment\nD=\nE=a=b\nF=it's";
    expect(parseEnvFile(text.replace(" B = x y ", " B= x y "), "posix")).toEqual({
      ok: true,
      variables: { A: "1", B: "x y", C: "$HOME `id` #no comment", D: "", E: "a=b", F: "it's" },
    });
  });

  test("on Windows keeps backslashes", () => {
    expect(parseEnvFile("VAULT_PATH=C:\\ProgramData\\Bellhop\\vault.json", "windows")).toEqual({
      ok: true,
      variables: { VAULT_PATH: "C:\\ProgramData\\Bellhop\\vault.json" },
    });
  });

  test.each([
    ["AGENT_NAME", "must be NAME=value"],
    ["export A=1", "must not begin with export: write NAME=value"],
    ["A =1", "must begin with a name of letters, digits and _, right before the equals sign"],
    ["1A=1", "must begin with a name of letters, digits and _, right before the equals sign"],
    ["=1", "must begin with a name of letters, digits and _, right before the equals sign"],
    ["A='1'", "gives A in quotes: write the value without them"],
    ['A="1', "gives A in quotes: write the value without them"],
    ["A=1\\", "gives A a backslash, which systemd would not read literally: write the value without it"],
    ["A=\u0001", "gives A a control character"],
    ["OK=2", "sets OK a second time: keep one of the two"],
  ])("refuses %j with its line number, and without its value", (line, problem) => {
    expect(parseEnvFile(`OK=1\n\n${line}\n`, "posix")).toEqual({ ok: false, problems: [{ line: 3, problem }] });
  });

  test("reports all wrong lines together", () => {
    const read = parseEnvFile("x\nA=1\ny", "posix");
    expect(read.ok ? [] : read.problems.map(({ line }) => line)).toEqual([1, 3]);
  });
});

describe("run --env-file", () => {
  let service: FakeService;
  let home: AgentHome;
  beforeEach(async () => {
    service = await FakeService.start();
    home = await AgentHome.make();
  });
  afterEach(async () => {
    await home.remove();
    await service.stop();
  });

  async function envFile(lines: string[], mode = 0o600): Promise<string> {
    await writeFile(home.path("agent.env"), `${lines.join("\n")}\n`);
    await chmod(home.path("agent.env"), mode);
    return home.path("agent.env");
  }

  test("uses the file over the environment, and hides the key from scripts", async () => {
    const path = await envFile(["AGENT_NAME=from file", `AGENT_API_KEY=${FAKE_AGENT_KEY}`]);
    const { id } = service.enqueue({ params: { script: 'echo "key:$AGENT_API_KEY"' } });
    await home.start(service.url, {
      args: ["run", "--env-file", path],
      env: { AGENT_NAME: "from environment", AGENT_API_KEY: "" },
    });
    await eventually("the result", () => service.resultsOf(id).length === 1);
    expect(service.registrations[0]?.name).toBe("from file");
    expect(service.resultsOf(id)[0]?.output).toMatchObject({ stdout: "key:\n" });
  });

  test("uses the CA file and the log file of its settings, and stops cleanly on a signal", async () => {
    const certificate = await selfSigned("DNS:localhost");
    await writeFile(home.path("ca.pem"), certificate.cert);
    const front = new ServiceFront({ upstream: service.url, tls: certificate });
    const path = await envFile([
      `AGENT_API_URL=https://localhost:${front.port}`,
      `NODE_EXTRA_CA_CERTS=${home.path("ca.pem")}`,
    ]);
    const agent = await home.start("", {
      args: ["run", "--env-file", path, "--log-file", home.path("agent.log")],
    });
    await eventually("the registration", async () => (await home.text("agent.log")).includes('"registered"'));
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
    expect(service.offline).toHaveLength(1);
    expect(agent.log()).toBe("");
    await front.stop();
  });

  test("with --hold-superseded, a superseded agent idles until it is stopped", async () => {
    const agent = await home.start(service.url, {
      args: ["run", "--env-file", await envFile(["AGENT_NAME=x"]), "--hold-superseded"],
    });
    await eventually("its polls", () => service.callsTo("jobs").length > 0);
    service.refuseSession("superseded");
    await eventually("the line that says so", () => agent.log().includes("waits without working"));
    const calls = service.callsTo("jobs").length;
    service.enqueue({ params: { script: "echo x" } });
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(76);
    expect(service.callsTo("jobs")).toHaveLength(calls);
  });

  test("refuses a file that others can read, and says what to do", async () => {
    const path = await envFile(["AGENT_NAME=x"], 0o640);
    const { code, stderr } = await runCommand(home, ["run", "--env-file", path]);
    expect(code).toBe(78);
    expect(stderr).toContain(`other users may read ${path}`);
    expect(stderr).toContain(`chmod 600 ${path}`);
  });

  test("is the only failure of doctor when others can read the file: its settings are not reported as missing", async () => {
    const path = await envFile([`AGENT_API_URL=${service.url}`], 0o644);
    const env = { AGENT_API_URL: "", AGENT_API_KEY: "" };
    const { code, stdout } = await runCommand(home, ["doctor", "--env-file", path], { env });
    expect(code).toBe(1);
    expect(stdout.match(/^fail .*/gmu)).toEqual([expect.stringContaining("other users may read")]);
    for (const name of ["AGENT_API_URL", "AGENT_API_KEY"]) {
      expect(stdout).toMatch(new RegExp(`^skip +configuration +${name} is not checked: the file is refused\\.$`, "mu"));
    }
  });

  test.skipIf(process.getuid?.() !== 0)("reports a file that this user may not read (needs root)", async () => {
    const path = await envFile(["AGENT_NAME=x"]);
    await chmod(home.directory, 0o755);
    const asOtherUser = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
    const agent = home.path("bellhop-agent");
    await copyFile(await buildAgent(), agent);
    const child = Bun.spawn([...asOtherUser, agent, "doctor", "--env-file", path], {
      cwd: "/",
      env: {},
      stdout: "pipe",
    });
    const [text] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    expect(text).toMatch(
      /^fail +configuration .*agent's key and this user may not read it: run the command as its owner, or with sudo/mu,
    );
  });

  test("refuses wrong lines with their numbers, and repeats no value", async () => {
    const path = await envFile(["AGENT_API_KEY='canary-in-quotes'", "POLL_INTERVAL", "A=1"]);
    const { code, stderr } = await runCommand(home, ["run", "--env-file", path]);
    expect(code).toBe(78);
    expect(stderr).toContain(`${path}, line 1: gives AGENT_API_KEY in quotes`);
    expect(stderr).toContain(`${path}, line 2: must be NAME=value`);
    expect(stderr).not.toContain("canary");
  });

  test.each([
    [["run", "--env-file", "/nowhere/agent.env"], 78, "there is no file /nowhere/agent.env: --env-file"],
    [["run", "--env-file"], 64, "run: --env-file needs a value"],
    [["run", "--fast"], 64, "run: there is no option --fast"],
    [["run", "--help"], 0, ""],
  ])("%p ends with exit code %p", async (args, code, said) => {
    const result = await runCommand(home, args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(said);
  });
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, writeFile } from "node:fs/promises";
import { selfSigned } from "../../support/certificate.ts";
import { eventually } from "../../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../../support/fake-service.ts";
import { freePort } from "../../support/free-port.ts";
import { startHttpProxy } from "../../support/http-proxy.ts";
import { ServiceFront } from "../../support/service-front.ts";
import { AgentHome } from "../agent-process.ts";
import { runCommand } from "../command-process.ts";
import { doctorEnvironment, examine } from "./doctor-report.ts";

const OTHER_KEY = FAKE_AGENT_KEY.replace("bhTestAgent1", "bhTestAgent2");

let service: FakeService;
let front: ServiceFront;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  front = new ServiceFront({ upstream: service.url });
  home = await AgentHome.make();
});
afterEach(async () => {
  await home.remove();
  await front.stop();
  await service.stop();
});

const doctor = (env: Record<string, string> = {}) => examine(home, front.url, env);

describe("doctor on a healthy agent", () => {
  test("passes, creates nothing, and describes each check", async () => {
    const { code, of } = await doctor();
    expect(code).toBe(0);
    expect(of("proxy")).toBe("ok none: the address is on this machine");
    expect(of("service")).toMatch(/^ok \/healthz answers in \d+ ms; this agent .* speaks wire protocol 1$/u);
    expect(of("clock")).toMatch(/^ok this host is \d\.\d s/u);
    expect(of("key")).toBe("ok the service accepts AGENT_API_KEY");
    expect(of("agent")).toStartWith("warn no agent runs on this vault. start it: ");
    expect(of("wake socket")).toBe("skip not open: no agent runs");
    expect(of("bash")).toStartWith("ok GNU bash");
    expect(of("built in")).toMatch(/\bssh\b.*\bhttp\b.* need no program on this host$/u);
    expect(of("built in")).not.toMatch(/script|custom|osService|notification/u);
    expect(of("vault")).toContain("is not there yet");
    expect(await readdir(home.directory)).toEqual([]);
    expect(service.registrations).toEqual([]);
  });

  test("prints one line per check for people", async () => {
    const { code, stdout } = await runCommand(home, ["doctor"], { env: doctorEnvironment(front.url) });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {4}key +the service accepts AGENT_API_KEY\.$/mu);
    expect(stdout).toMatch(/\n\nNothing failed, \d+ warnings?\.\n$/u);
    expect(stdout).not.toMatch(/\.\.$/mu);
  });

  test("changes nothing on the running agent, and shows its state", async () => {
    const agent = await home.start(front.url);
    await eventually("the first poll", () => service.callsTo("jobs").length > 0);
    await eventually("the vault", async () => (await home.text("vault.json")) !== "");
    await eventually("the note of its registration", async () => (await home.text("vault.status.json")) !== "");
    const registered = service.registrations.length;
    const { code, of } = await doctor();
    expect(code).toBe(0);
    expect(of("agent")).toMatch(
      new RegExp(`^ok an agent runs on this vault \\(pid ${agent.pid}\\), version .*, last poll 2`, "u"),
    );
    // The fake service has no wake socket, and answers as an older service does.
    expect(of("wake socket")).toMatch(/^warn closed since 2\S+: the service has no wake socket/u);
    expect(of("isolation")).toMatch(/^warn none: jobs run as .* \(JOB_USER=off\)\. /u);
    expect(of("admin port")).toMatch(/^ok http:\/\/127\.0\.0\.1:\d+ belongs to the running agent$/u);
    expect(of("vault")).toMatch(/opens; 0 credentials; fingerprint [\w-]{43}$/u);
    expect(of("journal")).toContain("nothing waits to be reported");
    expect(service.registrations.length).toBe(registered);
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
    expect(await readdir(home.directory)).not.toContain("vault.status.json");
  });

  test("names credentials by their connections, never by their values", async () => {
    const env = { AGENT_API_KEY: FAKE_AGENT_KEY };
    await runCommand(home, ["credentials", "set", "con_7", "--target", '[{"type":"chat"}]'], {
      env,
      input: '{"botToken":"doctor-canary-1"}',
    });
    const { of, text } = await doctor();
    expect(of("vault")).toContain("opens; 1 credential (con_7)");
    expect(text).not.toContain("canary");
  });
});

describe("doctor with the key in a key file", () => {
  const doctorWith = (env: Record<string, string>) =>
    examine(home, front.url, { AGENT_API_KEY: "", AGENT_API_KEY_FILE: home.path("key"), ...env });

  test("uses the key, also after a restart with further certificate authorities", async () => {
    await writeFile(home.path("key"), `${FAKE_AGENT_KEY}\n`, { mode: 0o400 });
    await writeFile(home.path("ca.pem"), (await selfSigned("DNS:localhost")).cert);
    const settings = `NODE_EXTRA_CA_CERTS=${home.path("ca.pem")}\nAGENT_API_KEY_FILE=${home.path("key")}\n`;
    await writeFile(home.path("agent.env"), settings, { mode: 0o600 });
    expect((await doctorWith({})).of("key")).toBe("ok the service accepts AGENT_API_KEY");
    const { code, stdout } = await runCommand(home, ["doctor", "--env-file", home.path("agent.env")], {
      env: { ...doctorEnvironment(front.url), AGENT_API_KEY: "" },
    });
    expect(stdout).toMatch(/^ok +configuration +from the environment and .*agent\.env/mu);
    expect(stdout).toMatch(/^ok +key /mu);
    expect(code).toBe(0);
  });

  test("reports a missing key file, and runs the other checks", async () => {
    const { of, failed } = await doctorWith({});
    expect(failed).toEqual(["configuration"]);
    expect(of("configuration")).toContain("key, which AGENT_API_KEY_FILE names (");
    expect(of("service")).toStartWith("ok");
    expect(of("key")).toStartWith("skip not tried");
  });
});

describe("doctor with a wrong configuration", () => {
  test("reports a misspelled setting in the file or the environment, and ignores other variables", async () => {
    await writeFile(home.path("typo.env"), "POLL_INTERVL=1\nKUBECONFIG=/srv/kubeconfig\n", { mode: 0o600 });
    const { code, stdout } = await runCommand(home, ["doctor", "--env-file", home.path("typo.env")], {
      env: { ...doctorEnvironment(front.url), LOG_LEVL: "DEBUG" },
    });
    expect(stdout).toMatch(/^warn +configuration +the environment sets LOG_LEVL, which/mu);
    expect(stdout).toMatch(/^warn +configuration +\S+typo\.env sets POLL_INTERVL, which/mu);
    expect(stdout).toContain("If POLL_INTERVAL is meant, rename it");
    expect([code, stdout.includes("KUBECONFIG")]).toEqual([0, false]);
  });

  test("prints the same error as run, and runs the other checks", async () => {
    const { code, of, failed } = await doctor({
      POLL_INTERVAL: "often",
      AGENT_API_KEY: "bh-canary-key-1",
      ALLOW_OS_RESTART: "ja",
    });
    expect(code).toBe(1);
    expect(failed).toEqual(["configuration", "configuration", "configuration"]);
    expect(of("configuration")).toContain('POLL_INTERVAL must be a number of seconds from 0.1 to 3600, not "often"');
    expect(of("configuration")).toContain("AGENT_API_KEY must have the form bh<10 characters>_<43 characters>");
    expect(of("configuration")).not.toContain("canary");
    expect(of("service")).toStartWith("ok");
    expect(of("key")).toStartWith("skip not tried");
  });

  test("without an address skips the checks of the service and runs the rest", async () => {
    const { of, failed } = await doctor({ AGENT_API_URL: "http://bellhop.example.com" });
    expect(failed).toEqual(["configuration"]);
    expect(of("service")).toBe("skip not asked: AGENT_API_URL is not usable");
    expect(of("disk")).toStartWith("ok");
  });

  test("reports an env file that others can read as one more problem", async () => {
    await writeFile(home.path("agent.env"), "AGENT_NAME=x\n", { mode: 0o644 });
    const { code, stdout } = await runCommand(home, ["doctor", "--env-file", home.path("agent.env")], {
      env: doctorEnvironment(front.url),
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}configuration +other users may read .*agent\.env/mu);
    expect(stdout).toMatch(/^ok {4}key/mu);
  });

  test.each([
    [["doctor", "--fix"], "doctor: there is no option --fix"],
    [["doctor", "all"], "doctor: takes options only"],
  ])("refuses the arguments %p", async (args, said) => {
    const { code, stderr } = await runCommand(home, args);
    expect(code).toBe(64);
    expect(stderr).toContain(said);
  });
});

describe("doctor's check of the connection to the service", () => {
  test("reports a port where nothing listens", async () => {
    const { of, failed } = await doctor({ AGENT_API_URL: `http://127.0.0.1:${await freePort()}` });
    expect(failed).toEqual(["address"]);
    expect(of("address")).toContain("refused the connection");
    expect(of("service")).toBe("skip not asked: it cannot be reached");
  });

  test("reports a name that does not resolve", async () => {
    const { of, failed } = await doctor({ AGENT_API_URL: "https://bellhop.test.invalid" });
    expect(failed).toEqual(["address"]);
    expect(of("address")).toContain("does not resolve");
    expect(of("proxy")).toBe("ok none: HTTPS_PROXY is not set");
  });

  test("reports an untrusted certificate with the reason and the setting, and sends no key", async () => {
    const tls = await selfSigned("DNS:localhost");
    const secure = new ServiceFront({ upstream: service.url, tls });
    const AGENT_API_URL = `https://localhost:${secure.port}`;
    const refused = await doctor({ AGENT_API_URL });
    expect(refused.failed).toEqual(["certificate"]);
    expect(refused.of("certificate")).toMatch(/self.signed/iu);
    expect(refused.of("certificate")).toContain("set NODE_EXTRA_CA_CERTS to a PEM file");
    expect(secure.asked).toEqual([]);
    await writeFile(home.path("ca.pem"), tls.cert);
    const trusted = await doctor({ AGENT_API_URL, NODE_EXTRA_CA_CERTS: home.path("ca.pem") });
    expect(trusted.failed).toEqual([]);
    expect(trusted.of("certificate")).toBe("ok the certificate is valid for localhost");
    await secure.stop();
  });

  test.each([
    ["ALL_PROXY", "socks5://ada:pr0xy-canary@127.0.0.1:1"],
    ["HTTP_PROXY", "ada:pr0xy-canary@127.0.0.1:1"],
  ])("never prints the password in %s", async (name, proxy) => {
    const { text, of } = await doctor({ [name]: proxy, LOG_LEVEL: "pr0xy-canary" });
    expect(of("configuration")).toContain('not "***"');
    expect(text).not.toContain("canary");
  });

  test("names the proxy without its login, honors NO_PROXY, and reports a refused proxy login", async () => {
    const tls = await selfSigned("DNS:bellhop.test.invalid");
    await writeFile(home.path("ca.pem"), tls.cert);
    const secure = new ServiceFront({ upstream: service.url, tls });
    const login = `Basic ${Buffer.from("ada:pr0xy-canary").toString("base64")}`;
    const proxy = await startHttpProxy({ targetPort: secure.port, authorization: login });
    const env = { AGENT_API_URL: "https://bellhop.test.invalid", NODE_EXTRA_CA_CERTS: home.path("ca.pem") };

    const through = await doctor({ ...env, HTTPS_PROXY: `http://ada:pr0xy-canary@127.0.0.1:${proxy.port}` });
    expect(through.failed).toEqual([]);
    expect(through.of("proxy")).toBe(`ok http://127.0.0.1:${proxy.port} (HTTPS_PROXY)`);
    expect(through.of("address")).toContain(`through the proxy 127.0.0.1:${proxy.port}`);
    expect(through.of("key")).toStartWith("ok");

    const wrong = await doctor({ ...env, HTTPS_PROXY: `http://ada:wr0ng-canary@127.0.0.1:${proxy.port}` });
    expect(wrong.failed).toEqual(["proxy"]);
    expect(wrong.of("proxy")).toContain("status 407");

    const around = await doctor({ ...env, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: ".test.invalid" });
    expect(around.of("proxy")).toBe("ok none: NO_PROXY exempts bellhop.test.invalid");
    for (const { text } of [through, wrong]) expect(text).not.toContain("canary");
    await proxy.close();
    await secure.stop();
  });

  test("reports an address with an API path, shows the right address, and does not blame the key", async () => {
    const { of, failed } = await doctor({ AGENT_API_URL: `${front.url}/api/v1/automation` });
    expect(failed).toEqual(["configuration"]);
    expect(of("configuration")).toContain(`use ${front.url} (leave out /api/v1/automation)`);
    expect(of("key")).toBe("");
  });

  test("reports an address with another path where no deployment answers, and does not blame the key", async () => {
    front.instead = () => new Response("", { status: 404 });
    const { of, failed } = await doctor({ AGENT_API_URL: `${front.url}/console` });
    expect(failed).toEqual(["service"]);
    expect(of("service")).toContain("the address has a path: ");
    expect(of("service")).toEndWith(`. set AGENT_API_URL to ${front.url}`);
    expect(of("key")).toStartWith("skip");
  });

  test("reports a server that is not Bellhop", async () => {
    front.instead = () => new Response("<h1>Sign in</h1>", { headers: { "Content-Type": "text/html" } });
    const { failed, of } = await doctor();
    expect(failed).toEqual(["service", "key"]);
    expect(of("service")).toContain("not as a Bellhop deployment does");
  });
});

test("doctor reports a CA file that is missing or has no certificate", async () => {
  const absent = await runCommand(home, ["doctor"], {
    env: { ...doctorEnvironment(front.url), NODE_EXTRA_CA_CERTS: home.path("absent.pem") },
  });
  expect(absent.code).toBe(1);
  expect(absent.stdout).toMatch(
    /^fail +configuration +NODE_EXTRA_CA_CERTS names .*absent\.pem, which cannot be read/mu,
  );
  await writeFile(home.path("empty.pem"), "none\n");
  const empty = await runCommand(home, ["doctor"], {
    env: { ...doctorEnvironment(front.url), NODE_EXTRA_CA_CERTS: home.path("empty.pem") },
  });
  expect(empty.stdout).toMatch(/^fail +configuration +.*empty\.pem, which holds no certificate\. Let it name/mu);
});

describe("doctor's checks of the key and the clock", () => {
  test("report a key that the service does not know, without printing the key", async () => {
    const { failed, of, text } = await doctor({ AGENT_API_KEY: OTHER_KEY });
    expect(failed).toEqual(["key"]);
    expect(of("key")).toContain("does not know AGENT_API_KEY. set it to the key");
    expect(text).not.toContain(OTHER_KEY);
  });

  test.each([
    [0, "ok"],
    [120_000, "warn"],
    [-120_000, "warn"],
    [600_000, "fail"],
  ])("with a clock difference of %p ms give %p", async (skewMs, status) => {
    front.clockSkewMs = skewMs;
    const { of } = await doctor();
    expect(of("clock")).toStartWith(`${status} this host is`);
    if (skewMs > 0) expect(of("clock")).toContain("behind the service. set this host's clock by NTP");
  });
});

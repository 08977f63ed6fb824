import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { EXIT } from "../../agent/exit-codes.ts";
import { acquireLock } from "../../agent/journal/process-lock.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { AgentHome } from "./agent-process.ts";
import { runCommand } from "./command-process.ts";

const TOKEN = "0123456789abcdef0123";
let service: FakeService;
let home: AgentHome;
let impostor: ReturnType<typeof Bun.serve>;
let asked: string[];
beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
  asked = [];
  impostor = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      asked.push(request.url);
      return Response.json({ success: true, data: [] });
    },
  });
});
afterEach(async () => {
  await impostor.stop(true);
  await home.remove();
  await service.stop();
});

const port = () => String(impostor.port);
const set = (env: Record<string, string>) =>
  runCommand(home, ["credentials", "set", "con_1", "--name", "password"], { env, input: "canary-8e" });
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

/** A lock that a user can take with read access only. */
async function readLock(path: string): Promise<{ release(): Promise<void> }> {
  const script = `
    const database = new (require("bun:sqlite").Database)(process.argv[1], { readonly: true });
    database.run("BEGIN");
    database.query("SELECT 1 FROM sqlite_schema").all();
    console.log("held");
    process.stdin.resume().on("end", () => process.exit());`;
  const child = Bun.spawn([process.execPath, "-e", script, path], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  expect(Buffer.from(value ?? []).toString()).toBe("held\n");
  return {
    release: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

describe("a state directory that others may enter", () => {
  test("is closed by the agent, and so is a lock of an earlier version", async () => {
    await mkdir(home.path("vault.state"), { mode: 0o755 });
    await writeFile(home.path("vault.lock"), "", { mode: 0o644 });
    await writeFile(home.path("admin-token"), "", { mode: 0o644 });
    await chmod(home.directory, 0o755);
    const agent = await home.start(service.url);
    await agent.adminUrl();
    expect(await modeOf(home.directory)).toBe(0o700);
    const names = await readdir(home.directory);
    expect(names).toContain("vault.lock");
    // Temporary files may disappear before their mode is read.
    const kept = names.filter((name) => !name.endsWith(".tmp"));
    for (const name of kept) expect([name, (await modeOf(home.path(name))) & 0o077]).toEqual([name, 0]);
    expect(agent.log()).toContain("was open to other users: its mode is 0700 now");
  });

  test("is left open when it contains other files, and the agent warns", async () => {
    await writeFile(home.path("notes.txt"), "");
    await chmod(home.directory, 0o755);
    const agent = await home.start(service.url);
    await agent.adminUrl();
    expect(await modeOf(home.directory)).toBe(0o755);
    expect(agent.log()).toContain("let VAULT_PATH name a file in a separate directory");
    expect(await modeOf(home.path("vault.lock"))).toBe(0o600);
    expect(await modeOf(home.path("vault.admin-url"))).toBe(0o600);
  });

  test("is closed by the command, whose lock others cannot read", async () => {
    await chmod(home.directory, 0o755);
    expect(await set({ AGENT_API_KEY: FAKE_AGENT_KEY })).toMatchObject({ code: 0, stderr: "" });
    expect(await modeOf(home.directory)).toBe(0o700);
    expect(await modeOf(home.path("vault.lock"))).toBe(0o600);
  });
});

describe("another program at the agent's port gets neither token nor secret", () => {
  test("when no agent runs, for any ADMIN_TOKEN and ADMIN_PORT", async () => {
    const env = { ADMIN_TOKEN: TOKEN, ADMIN_PORT: port() };
    for (const place of ["vault.json", "elsewhere/vault.json"]) {
      const { code, stderr } = await set({ ...env, VAULT_PATH: home.path(place) });
      expect(code).toBe(69);
      expect(stderr).toContain("Start the agent; or set AGENT_API_KEY");
    }
    expect(asked).toEqual([]);
    expect(await readdir(home.directory)).toEqual([]);
  });

  test("when a reader holds a shared lock on the lock file", async () => {
    await writeFile(home.path("vault.lock"), "", { mode: 0o644 });
    await writeFile(home.path("vault.admin-url"), `http://127.0.0.1:${port()}\n`, { mode: 0o600 });
    const lock = await readLock(home.path("vault.lock"));
    try {
      const without = await set({ ADMIN_TOKEN: TOKEN, ADMIN_PORT: port() });
      expect(without.code).toBe(69);
      expect(without.stderr).toContain("no agent runs with the vault");
      const withKey = await set({ ADMIN_TOKEN: TOKEN, ADMIN_PORT: port(), AGENT_API_KEY: FAKE_AGENT_KEY });
      expect(withKey.code).toBe(75);
      expect(withKey.stderr).toContain(`another program reads ${home.path("vault.lock")}`);
    } finally {
      await lock.release();
    }
    expect(asked).toEqual([]);
  });

  test("when the lock is held and no agent of this user has noted its address", async () => {
    const lock = acquireLock(home.path("vault.lock"), home.path("vault.journal"));
    const url = home.path("vault.admin-url");
    const attempts = [
      () => rm(url, { force: true }),
      () => writeFile(url, `http://127.0.0.1:${port()}\n`, { mode: 0o644 }),
      // Only root can change a file's owner.
      async () => {
        await chmod(url, 0o600);
        if (process.getuid?.() === 0) await chown(url, 65_534, 65_534);
        else await rm(url);
      },
    ];
    try {
      for (const attempt of attempts) {
        await attempt();
        const { code, stderr } = await set({ ADMIN_TOKEN: TOKEN, ADMIN_PORT: port() });
        expect(code).toBe(69);
        expect(stderr).toContain(`no agent of this user has noted its address in ${url}`);
      }
    } finally {
      lock.release();
    }
    expect(asked).toEqual([]);
  });

  test("after a command without an agent removed the address of a dead agent", async () => {
    await writeFile(home.path("vault.admin-url"), `http://127.0.0.1:${port()}\n`, { mode: 0o600 });
    expect((await set({ AGENT_API_KEY: FAKE_AGENT_KEY })).code).toBe(0);
    expect(await readdir(home.directory)).not.toContain("vault.admin-url");
  });
});

test("an agent that cannot get the lock because of a reader says what to do", async () => {
  await writeFile(home.path("vault.lock"), "", { mode: 0o644 });
  const lock = await readLock(home.path("vault.lock"));
  try {
    const agent = await home.start(service.url);
    expect(await agent.exited).toBe(75);
    expect(agent.log()).toContain("if that does not help, end the program");
    expect(await modeOf(home.path("vault.lock"))).toBe(0o600);
  } finally {
    await lock.release();
  }
  await home.start(service.url);
  await eventually("the registration", () => service.registrations.length === 1);
});

describe("an agent whose port is used by another program", () => {
  test.each(["127.0.0.1", "0.0.0.0", "::"])("on %s does not start, and says what to do", async (host) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, host, resolve));
    const address = other.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    try {
      const agent = await home.start(service.url, { env: { ADMIN_PORT: String(port) } });
      expect(await agent.exited).toBe(EXIT.config);
      expect(agent.log()).toContain(`ADMIN_PORT ${port} on 127.0.0.1 is taken, perhaps by another agent`);
      expect(await home.text("vault.admin-url")).toBe("");
      expect(service.registrations).toEqual([]);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});

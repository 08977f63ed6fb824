import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "../support/debian-peer.ts";
import { TdsServer } from "../support/tds-server.ts";

const TSQL = "/usr/bin/tsql";

/** The driver is tested against a stand-in. Here, an independent client accepts that stand-in as a SQL Server. */
describe.skipIf(debianPeer(TSQL, "freetds-bin") !== null)("the stand-in for SQL Server, asked by FreeTDS", () => {
  let server: TdsServer;
  let directory: string;
  beforeAll(async () => {
    server = await TdsServer.start();
    directory = await mkdtemp(join(tmpdir(), "bellhop-freetds-"));
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const ask = async (peer: TdsServer, sql: string, { encryption = "require", password = peer.password } = {}) => {
    const settings = ["[global]", "tds version = 7.4", "client charset = UTF-8", `encryption = ${encryption}`];
    const configuration = join(directory, `${crypto.randomUUID()}.conf`);
    await writeFile(
      configuration,
      [...settings, "[peer]", `host = ${peer.host}`, `port = ${peer.port}`, ""].join("\n"),
    );
    const login = ["-S", "peer", "-U", peer.username, "-P", password, "-D", peer.database, "-o", "q"];
    const child = Bun.spawn([TSQL, ...login], {
      env: { FREETDSCONF: configuration, LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin" },
      stdin: Buffer.from(`${sql}\ngo\nexit\n`),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { stdout, stderr, exitCode: await child.exited };
  };

  test.each(["require", "request", "off"])("logs in and reads with encryption = %s", async (encryption) => {
    const { stdout } = await ask(server, "SELECT * FROM every_type", { encryption });
    const columns =
      stdout
        .split("\n")
        .find((line) => line.startsWith("-5\t"))
        ?.split("\t") ?? [];
    expect(columns.slice(0, 4)).toEqual(["-5", "42", "9223372036854775807", "1"]);
    expect(columns.slice(5, 9)).toEqual([
      "-922337203685477.5807",
      "-1.2345",
      "-1234567890123456789012345678.9012345678",
      "1.99",
    ]);
    // FreeTDS shows no seconds.
    expect(columns.slice(9, 11)).toEqual(["Jan  1 2026 12:00PM", "Jan  1 2026 12:00PM"]);
    expect(columns[14]?.toLowerCase()).toBe("00112233-4455-6677-8899-aabbccddeeff");
    expect(columns[15]).toBe("Grüße 🛎️");
    expect(columns[16]).toBe("y".repeat(10_000));
    expect(columns[17]?.toLowerCase()).toContain("00ff10");
  });

  test("returns errors with their number, and several results in order", async () => {
    expect((await ask(server, "SELECT a FROM nowhere")).stderr).toContain("Msg 208 (severity 16");
    expect((await ask(server, "EXEC two_results")).stdout).toMatch(/a\n1\n2\n[\s\S]*b\n3\n/u);
  });

  test("refuses a wrong password", async () => {
    const { stderr, exitCode } = await ask(server, "SELECT 1", { password: "wrong" });
    expect(stderr).toContain("Login failed for user 'svc_reader'");
    expect(exitCode).not.toBe(0);
  });

  test("encrypts if it requires encryption, and without encryption serves no client that requires it", async () => {
    const [plain, strict] = await Promise.all([
      TdsServer.start({ encryption: "missing" }),
      TdsServer.start({ encryption: "required" }),
    ]);
    expect((await ask(strict, "SELECT 1", { encryption: "off" })).exitCode).toBe(0);
    expect(strict.violations).toEqual([]);
    expect((await ask(plain, "SELECT 1", { encryption: "require" })).exitCode).not.toBe(0);
    expect((await ask(plain, "SELECT 1", { encryption: "off" })).exitCode).toBe(0);
    expect(plain.journal.served.map(({ sql }) => sql.trim())).toEqual(["SELECT 1"]);
    await Promise.all([plain.stop(), strict.stop()]);
  });

  test("gets no message that violates the protocol", () => {
    expect(server.violations).toEqual([]);
  });
});

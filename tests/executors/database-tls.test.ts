import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { connect } from "node:net";
import type { JobResult } from "../../schema/contract/agent.ts";
import { type DatabasePeer, queryJob } from "../support/database-jobs.ts";
import { runTest } from "../support/executor-context.ts";
import { mariadbMissing, MariadbServer } from "../support/mariadb.ts";
import { postgresMissing, PostgresServer } from "../support/postgres.ts";
import { runJob } from "../support/run-job.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

for (const missing of [postgresMissing, mariadbMissing]) {
  if (missing !== null) console.warn(`Tests of encrypted databases are skipped: ${missing}.`);
}

const PEERS = [
  {
    name: "PostgreSQL",
    driver: "postgres",
    missing: postgresMissing,
    start: (tls: boolean) => PostgresServer.start({ tls }),
    encrypted: "SELECT ssl AS encrypted FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
  },
  {
    name: "MariaDB",
    driver: "mysql",
    missing: mariadbMissing,
    start: (tls: boolean) => MariadbServer.start({ tls }),
    encrypted:
      "SELECT variable_value <> '' AS encrypted FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'",
  },
] as const;

for (const { name, driver, missing, start, encrypted } of PEERS) {
  describe.skipIf(missing !== null)(`the connection to ${name}`, () => {
    let server: PostgresServer | MariadbServer;
    let plain: PostgresServer | MariadbServer;
    let agent: TrustingAgent;
    beforeAll(async () => {
      server = await start(true);
      plain = await start(false);
      agent = new TrustingAgent(server.certificateFile);
    });
    afterAll(async () => {
      await agent?.stop();
      await Promise.all([server?.stop(), plain?.stop()]);
    });

    const job = (peer: DatabasePeer, config: { tls?: string; host?: string; port?: number } = {}) => {
      const { host, port, database } = peer;
      // The default of `tls` is verify.
      return { ...queryJob(driver, peer, { query: encrypted }), config: { driver, host, port, database, ...config } };
    };
    const isEncrypted = ({ output }: JobResult): boolean => {
      const [row] = Array.isArray(output?.["rows"]) ? output["rows"] : [];
      return JSON.stringify(row) === '{"encrypted":true}' || JSON.stringify(row) === '{"encrypted":1}';
    };

    test("is encrypted by default, and the server's certificate is verified", async () => {
      const result = await agent.run(job(server));
      expect(result.status).toBe("succeeded");
      expect(isEncrypted(result)).toBe(true);
    });

    test("is refused when no trusted authority signed the certificate", async () => {
      const { error } = await runJob(job(server));
      expect(error).toMatchObject({ code: "tls_error" });
      expect(error?.message).toContain("self signed");
      expect(error?.message).toContain("NODE_EXTRA_CA_CERTS");
    });

    test("is refused when the certificate is for another name", async () => {
      const { error } = await agent.run(job(server, { host: "127.0.0.1" }));
      expect(error).toMatchObject({ code: "tls_error" });
      expect(error?.message).toContain("does not match");
    });

    test("with tls “require” is encrypted without verification", async () => {
      const result = await runJob(job(server, { tls: "require", host: "127.0.0.1" }));
      expect(isEncrypted(result)).toBe(true);
    });

    test("with tls “off” is not encrypted", async () => {
      const result = await runJob(job(server, { tls: "off" }));
      expect(result.status).toBe("succeeded");
      expect(isEncrypted(result)).toBe(false);
    });

    test.each(["verify", "require"])("with tls “%s” is refused by a server without TLS", async (tls) => {
      const { error } = await runJob(job(plain, { tls }));
      expect(error).toMatchObject({ code: "tls_error" });
      expect(error?.message).toContain("offers no TLS");
    });

    test("is refused when a relay adds plain bytes to the server's answer to the TLS request", async () => {
      const relay = await stuffing(driver, server.port);
      const { error } = await agent.run(job(server, { port: relay.port, tls: "require" }));
      relay.server.close();
      expect(error).toMatchObject({ code: "tls_error" });
      expect(error?.message).toContain("Find out which program answers there");
    });

    test("to another kind of server says that the server is of another kind", async () => {
      const web = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      const port = await listening(web);
      for (const tls of ["require", "off"]) {
        expect((await runJob(job(server, { port, tls }))).error).toMatchObject({ code: "unreachable" });
      }
      web.close();
    });

    test("is tested step by step, up to the first failure", async () => {
      const { host, port, database, username, password } = server;
      const steps = async (config: object, secrets: Record<string, string> | null = { username, password }) => {
        const checks = await runTest("database", { config: { driver, host, port, database, ...config }, secrets });
        return checks.map(({ name, ok }) => `${name}: ${ok ? "ok" : "failed"}`).join(", ");
      };
      const tcp = "TCP connection: ok";
      expect(await steps({ tls: "require" })).toBe(`${tcp}, TLS: ok, Authentication: ok, SELECT 1: ok`);
      expect(await steps({ tls: "off" })).toBe(`${tcp}, Authentication: ok, SELECT 1: ok`);
      expect(await steps({ tls: "verify" })).toBe(`${tcp}, TLS: failed`);
      const wrong = { username, password: "wrong" };
      expect(await steps({ tls: "require" }, wrong)).toBe(`${tcp}, TLS: ok, Authentication: failed`);
      expect(await steps({ tls: "require" }, null)).toBe(`${tcp}, Authentication: failed`);
      expect(await steps({ tls: "require", port: 1 })).toBe("TCP connection: failed");
      expect(await steps({ tls: "require", port: 1 }, null)).toBe("TCP connection: failed");
    });

    test("is tested with the server's version in the last step", async () => {
      const { host, port, database, username, password } = server;
      const config = { driver, host, port, database, tls: "require" };
      const checks = await runTest("database", { config, secrets: { username, password } });
      expect(checks.at(-1)?.detail).toMatch(/^(?:PostgreSQL|MariaDB) \d+\.\d+.* answered\.$/u);
    });
  });
}

/** Relays a server, and adds plain bytes after its answer to the TLS request, as an attacker could. */
async function stuffing(driver: "postgres" | "mysql", targetPort: number): Promise<{ port: number; server: Server }> {
  const added =
    driver === "postgres" ? Buffer.from("R\0\0\0\b\0\0\0\0") : Buffer.from([7, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]);
  const server = createServer((outer) => {
    const inner = connect({ host: "127.0.0.1", port: targetPort });
    inner.once("data", (first: Buffer) => {
      outer.write(Buffer.concat([first, added]));
      inner.on("data", (chunk) => outer.write(chunk));
    });
    outer.on("data", (chunk) => inner.write(chunk));
    for (const [socket, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      socket.on("close", () => other.destroy());
      socket.on("error", () => other.destroy());
    }
  });
  return { port: await listening(server), server };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}

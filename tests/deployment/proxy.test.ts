import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SESSION_HEADER } from "../../schema/contract/agent.ts";
import { WEBHOOK_BODY_MAX_BYTES } from "../../schema/limits.ts";
import { ROOT } from "../../scripts/paths.ts";
import { AgentClient } from "../support/agent-client.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { acceptedId, createAgent, createConnection, createWebhookWorkflow } from "../support/management.ts";
import type { Webhook } from "../support/management.ts";
import { nginxMissing } from "../support/nginx.ts";
import { OneMachine } from "../support/one-machine.ts";

const LIMIT_MS = 300_000;

/** The configuration of the page, in a real nginx. */
describe.skipIf(nginxMissing !== null)(
  `nginx as docs/deploy/one-machine.md sets it up${nginxMissing === null ? "" : ` (${nginxMissing})`}`,
  () => {
    let machine: OneMachine;
    let nginx: Bun.Subprocess;
    let url: string;
    let tls: { ca: string };

    beforeAll(async () => {
      machine = await OneMachine.install();
      await machine.set("bellhop.env", {
        TRUSTED_CLIENT_IP_HEADER: "X-Real-IP",
        TRUSTED_REQUEST_ID_HEADER: "X-Request-Id",
      });
      await machine.start();
      const directory = join(machine.root, "nginx");
      ({ nginx, url, tls } = await startNginx(directory, new URL(machine.url).host));
      await eventually("nginx to answer", async () => {
        if (nginx.exitCode !== null) throw new Error(await readFile(join(directory, "error.log"), "utf8"));
        return (await fetch(`${url}/readyz`, { tls })).ok;
      });
    }, LIMIT_MS);
    afterAll(async () => {
      nginx?.kill();
      await nginx?.exited;
      await machine.dispose();
    });

    test("lets the Worker refuse a body that is too large", async () => {
      const { webhookKey, webhookSecret } = await waitingWorkflow();
      const response = await fetch(`${url}/api/v1/automation/webhooks/${webhookKey}`, {
        method: "POST",
        tls,
        headers: { Authorization: `Bearer ${webhookSecret}`, "Content-Type": "application/json" },
        body: "x".repeat(2 * WEBHOOK_BODY_MAX_BYTES),
      });
      expect(response.status).toBe(413);
      expect(response.headers.get("content-type")).toContain("application/problem+json");
    });

    test("never logs a key from a path, whether the service is up or down, and uses the service's request ids", async () => {
      const integrationKey = `itg${"k".repeat(10)}_${"s".repeat(43)}`;
      const { webhookKey, webhookSecret } = await waitingWorkflow();
      const paths = [`/api/v1/automation/webhooks/${webhookKey}`, `/api/v1/integrations/webhook/${integrationKey}`];
      const ask = async (path: string) =>
        fetch(url + path, { method: "POST", tls, headers: { Authorization: `Bearer ${webhookSecret}` } });
      const [rung] = await Promise.all(paths.map(ask));
      expect(rung?.status).toBe(200);
      await machine.end("bellhop.service", "SIGTERM");
      try {
        for (const path of paths) expect((await ask(path)).status).toBe(502);
      } finally {
        await machine.startUnit("bellhop.service");
      }
      const logged = await eventually("nginx to log them", async () => {
        const text = await readFile(join(machine.root, "nginx/bellhop.log"), "utf8");
        return text.split("\n").filter((line) => line.includes(" 502 ")).length === 2 && text;
      });
      const errors = await readFile(join(machine.root, "nginx/bellhop-error.log"), "utf8");
      for (const key of [webhookKey, integrationKey]) expect(logged + errors).not.toContain(key);
      expect(logged).toContain(" POST /api/v1/automation/webhooks/*** 200 ");
      expect(logged).toContain(" POST /api/v1/integrations/webhook/*** 502 ");
      const requestId = rung?.headers.get("X-Request-Id") ?? "none";
      expect(logged).toContain(` ${requestId}\n`);
    });

    test("closes an idle connection to the Worker before workerd would, after 5 s", async () => {
      const closed = Promise.withResolvers<number>();
      let answeredAt = 0;
      using upstream = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          data: (socket) => {
            answeredAt = performance.now();
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
          },
          end: () => closed.resolve(performance.now() - answeredAt),
        },
      });
      const front = await startNginx(join(machine.root, "nginx-idle"), `127.0.0.1:${upstream.port}`);
      try {
        await eventually("nginx to answer", async () => (await fetch(front.url, { tls: front.tls })).ok);
        expect(await closed.promise).toBeLessThan(5_000);
      } finally {
        front.nginx.kill();
        await front.nginx.exited;
      }
    });

    test("passes on live updates as they happen", async () => {
      const id = await acceptedId(await (await waitingWorkflow()).ring({}));
      await eventually(
        "the execution",
        async () => (await machine.api("GET", `/api/v1/automation/executions/${id}`)).ok,
      );
      const headers = { Authorization: `Bearer ${machine.adminToken}` };
      const stop = new AbortController();
      const live = await fetch(`${url}/api/v1/automation/executions/${id}/events`, {
        tls,
        headers,
        signal: stop.signal,
      });
      expect(live.headers.get("content-type")).toContain("text/event-stream");
      // The events arrive before the stream ends.
      let text = "";
      for await (const chunk of live.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (text.includes(id)) break;
      }
      expect(text).toContain(id);
      stop.abort();
    });

    test("passes on an agent's wake socket", async () => {
      const { apiKey } = await createAgent(machine, { poolId: "woken" });
      const client = new AgentClient({ url: machine.url }, apiKey);
      const { session } = await client.register();
      const opened = Promise.withResolvers<string>();
      const socket = new WebSocket(`${url.replace("https", "wss")}/api/v1/agent/wake`, {
        tls,
        headers: { Authorization: `Bearer ${apiKey}`, [SESSION_HEADER]: session },
      });
      socket.addEventListener("open", () => opened.resolve("open"));
      socket.addEventListener("close", ({ code }) => opened.resolve(`closed with ${code}`));
      expect(await opened.promise).toBe("open");
      socket.close();
    });

    /** The workflow's executions stay running, because the pool has no agent. */
    async function waitingWorkflow(): Promise<Webhook> {
      const connectionId = await createConnection(machine, { type: "script", poolId: "without-agents" });
      const node = { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "true" } };
      return createWebhookWorkflow(machine, { nodes: [node], edges: [] });
    }
  },
);

/** The page's configuration with this address in the Worker's place. The log has the page's names, in `directory`. */
async function startNginx(directory: string, upstream: string) {
  await mkdir(directory);
  const { key, cert } = await selfSigned("IP:127.0.0.1");
  await writeFile(join(directory, "privkey.pem"), key);
  await writeFile(join(directory, "fullchain.pem"), cert);
  const port = await freePort();
  const page = await readFile(join(ROOT, "docs/deploy/one-machine.md"), "utf8");
  const shown = /```nginx\n([^]*?)```/u.exec(page)?.[1] ?? "";
  const here = shown
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replace("127.0.0.1:8787", upstream)
    .replaceAll("/etc/ssl/bellhop", directory)
    .replaceAll("/var/log/nginx", directory);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const text = `${process.getuid?.() === 0 ? "user root;\n" : ""}daemon off;\npid ${directory}/pid;\nerror_log ${directory}/error.log;\nevents {}\nhttp {\naccess_log off;\n${places.join("\n")}\n${here}}\n`;
  await writeFile(join(directory, "nginx.conf"), text);
  const nginx = Bun.spawn(
    ["/usr/sbin/nginx", "-p", directory, "-e", join(directory, "error.log"), "-c", join(directory, "nginx.conf")],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  return { nginx, url: `https://127.0.0.1:${port}`, tls: { ca: cert } };
}

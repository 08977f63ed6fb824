import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { debianPeer } from "./debian-peer.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const ALERTMANAGER = "/usr/bin/prometheus-alertmanager";

/** Why there is no Alertmanager here; null where there is one. */
export const alertmanagerMissing: string | null = debianPeer(ALERTMANAGER, "prometheus-alertmanager");

export interface Alert {
  labels: Record<string, string>;
  annotations?: Record<string, string>;
  generatorURL?: string;
  /** ISO 8601. A time in the past resolves the alert. */
  startsAt?: string;
  endsAt?: string;
}

export interface Alertmanager {
  fire(...alerts: Alert[]): Promise<void>;
  resolve(...alerts: Alert[]): Promise<void>;
  /** One of Alertmanager's counters, summed over its labels. */
  counter(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** A real Prometheus Alertmanager on a free port, which groups by `alertname` and notifies immediately. */
export async function startAlertmanager(receivers: {
  webhookUrl: string;
  pagerdutyUrl: string;
}): Promise<Alertmanager> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-alertmanager-"));
  const config = join(directory, "alertmanager.yml");
  await writeFile(config, stringify(configOf(receivers)), { mode: 0o600 });
  const port = await freePort();
  const child = Bun.spawn(
    [
      ALERTMANAGER,
      `--config.file=${config}`,
      `--storage.path=${join(directory, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--cluster.listen-address=",
    ],
    { stdin: "ignore", stdout: "ignore", stderr: Bun.file(join(directory, "log")) },
  );
  const url = `http://127.0.0.1:${port}`;
  await eventually("Alertmanager to be ready", async () => (await fetch(`${url}/-/ready`)).ok);
  const post = async (alerts: Alert[]) => {
    const response = await fetch(`${url}/api/v2/alerts`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(alerts),
    });
    if (!response.ok) throw new Error(`Alertmanager refused alerts: ${await response.text()}`);
  };
  return {
    fire: (...alerts) => post(alerts),
    resolve: (...alerts) => post(alerts.map((alert) => ({ ...alert, endsAt: new Date().toISOString() }))),
    counter: async (name) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    },
    stop: async () => {
      child.kill("SIGKILL");
      await child.exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function configOf({ webhookUrl, pagerdutyUrl }: { webhookUrl: string; pagerdutyUrl: string }) {
  const routing_key = "0123456789abcdef0123456789abcdef";
  return {
    route: {
      receiver: "webhook",
      group_by: ["alertname"],
      group_wait: "50ms",
      group_interval: "100ms",
      // Short enough to repeat its notifications during a test.
      repeat_interval: "200ms",
      routes: [{ receiver: "pagerduty", matchers: ['channel="pagerduty"'] }],
    },
    receivers: [
      { name: "webhook", webhook_configs: [{ url: webhookUrl, send_resolved: true }] },
      { name: "pagerduty", pagerduty_configs: [{ url: pagerdutyUrl, routing_key, severity: "critical" }] },
    ],
  };
}

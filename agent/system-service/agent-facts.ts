import { notedAdminUrl } from "../admin/address.ts";
import { readToken } from "../admin/token.ts";
import { readEnvFile } from "../commands/env-file.ts";
import { serviceEnvFile } from "../commands/environment.ts";
import { readLocalConfig } from "../config.ts";
import type { HostFacts } from "../config.ts";
import { askStatus } from "../doctor/agent-process.ts";
import type { AgentStatus } from "../doctor/agent-process.ts";
import { statePaths } from "../paths.ts";
import { readStatusFile } from "../status-file.ts";
import type { RegisteredStatus } from "../status-file.ts";

export interface AgentFacts {
  /** Null when this user may not read the configuration, or when it is wrong. */
  vaultPath: string | null;
  registered: RegisteredStatus | null;
  /** The answer of the running agent's admin API. */
  status: AgentStatus | null;
}

/** What this user may know about the installed agent. */
export async function agentFacts(host: HostFacts): Promise<AgentFacts> {
  const nothing: AgentFacts = { vaultPath: null, registered: null, status: null };
  try {
    const local = readLocalConfig(readEnvFile(serviceEnvFile()), host);
    if (!local.ok) return nothing;
    const { vaultPath, adminToken } = local.config;
    const paths = statePaths(vaultPath);
    const url = notedAdminUrl(paths.adminUrl);
    const token = adminToken ?? (await readToken(paths.adminToken).catch(() => null));
    const status = url === null ? null : await askStatus(url, token).catch(() => null);
    return { vaultPath, registered: readStatusFile(paths.status), status };
  } catch {
    return nothing;
  }
}

/** The lines of `service status` that are the same on every system. */
export function describeAgent({ registered, status }: AgentFacts, mayLook: boolean): [string, string][] {
  if (registered === null && status === null) {
    return [
      [
        "agent",
        mayLook ? "not registered: read its log for the reason" : "not known: run this as root, or as the agent's user",
      ],
    ];
  }
  const version = status?.version ?? registered?.version ?? "";
  const contact =
    status === null
      ? "its admin API does not answer"
      : status.connected
        ? `connected, last poll ${status.lastPollAt ?? "not yet"}${status.enabled === false ? "; disabled: it gets no jobs" : ""}`
        : `without contact to the deployment: ${status.lastError ?? "it has not registered yet"}`;
  const isolation = status?.isolation ?? "none";
  const why = status?.isolationReason ?? "the agent is of an earlier version: its jobs run under its own account";
  const since = registered === null ? "" : ` since ${registered.registeredAt} as ${registered.agentId}`;
  return [
    ["version", version],
    ["agent", registered === null ? contact : `registered${since}; ${contact}`],
    ...(status === null ? [] : [["isolation", `${isolation}: ${why}`] satisfies [string, string]]),
  ];
}

export function describeRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join("");
}

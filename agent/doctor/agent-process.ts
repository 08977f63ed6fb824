import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { z } from "zod";
import { isolationSchema } from "../../schema/contract/agent.ts";
import { notedAdminUrl } from "../admin/address.ts";
import { AdminConnection } from "../admin/connection.ts";
import { NotProven } from "../admin/not-proven.ts";
import { readToken } from "../admin/token.ts";
import { hasCode } from "../atomic-file.ts";
import type { LocalConfig } from "../config.ts";
import { isLocked } from "../journal/process-lock.ts";
import { describeError } from "../log.ts";
import type { StatePaths } from "../paths.ts";
import { readStatusFile } from "../status-file.ts";
import { hasSystemd } from "../system-service/linux/no-systemd.ts";
import { UNIT, UNIT_PATH } from "../system-service/linux/unit-file.ts";
import { TASK } from "../system-service/windows/task.ts";
import { AGENT_VERSION } from "../version.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

const STATUS_TIMEOUT_MS = 5_000;
const agent = checksNamed("agent");
const wakeSocket = checksNamed("wake socket");
const admin = checksNamed("admin port");
const WAKE_OFF = "turned off by WAKE_SOCKET: jobs are fetched only every POLL_INTERVAL";

const statusSchema = z.object({
  connected: z.boolean(),
  enabled: z.boolean().nullable(),
  version: z.string(),
  lastError: z.string().nullable(),
  lastPollAt: z.string().nullable(),
  journal: z.object({ writable: z.boolean() }),
  // Missing from the status of older agents.
  wake: z.string().optional(),
  wakeSince: z.string().nullish(),
  pollAfterSeconds: z.number().nullish(),
  // Missing from the status of older agents, too.
  isolation: isolationSchema.optional(),
  isolationReason: z.string().optional(),
});
export type AgentStatus = z.infer<typeof statusSchema>;

export interface AgentFound {
  checks: Check[];
  isRunning: boolean;
  /** Null when no agent runs, or when the running one did not answer. */
  status: AgentStatus | null;
}

/** Checks whether an agent runs on this vault, its state, and which program has its admin port. */
export async function checkAgentProcess(
  { local, adminPort, wake }: { local: LocalConfig; adminPort: number; wake: boolean },
  paths: StatePaths,
): Promise<AgentFound> {
  let isRunning: boolean;
  try {
    isRunning = isLocked(paths.lock);
  } catch (error) {
    if (!hasCode(error, "ENOTDIR")) {
      const unknown = agent.warn(
        `cannot find out whether an agent runs: ${paths.lock} cannot be opened (${describeError(error)})`,
        "run doctor as the agent's user (sudo -u …)",
      );
      return { checks: [unknown, await checkPort(adminPort, null)], isRunning: false, status: null };
    }
    isRunning = false;
  }
  const url = isRunning ? notedAdminUrl(paths.adminUrl) : null;
  const token = local.adminToken ?? (await readToken(paths.adminToken).catch(() => null));
  const asked = url === null ? null : await askStatus(url, token).catch(orNotProven);
  const status = asked instanceof NotProven ? null : asked;
  const check = isRunning ? describeRunning(paths, status) : agent.warn("no agent runs on this vault", howToStart());
  const port = asked instanceof NotProven ? admin.warn(asked.found, asked.advice) : await checkPort(adminPort, url);
  return { checks: [check, describeWake(status, { isRunning, wake }), port], isRunning, status };
}

function orNotProven(error: unknown): NotProven {
  if (error instanceof NotProven) return error;
  throw error;
}

/** Depends on what is installed here. `run` is for all other supervisors. */
function howToStart(): string {
  if (process.platform === "win32") return `start it: schtasks /Run /TN "${TASK}" (or bellhop-agent service install)`;
  if (hasSystemd() && existsSync(UNIT_PATH)) {
    return `start it: sudo systemctl start ${UNIT} (why it ended: journalctl -u ${UNIT})`;
  }
  if (hasSystemd())
    return "start it: bellhop-agent run, or install it as a service: sudo bellhop-agent service install";
  return "start it: bellhop-agent run, or with the service manager of this machine";
}

function describeWake(status: AgentStatus | null, { isRunning, wake }: { isRunning: boolean; wake: boolean }): Check {
  const state = status?.wake;
  if (state === undefined) {
    if (!isRunning) return wake ? wakeSocket.skip("not open: no agent runs") : wakeSocket.ok(WAKE_OFF);
    return wakeSocket.skip("not known: the running agent did not report it");
  }
  const since = typeof status?.wakeSince === "string" ? ` since ${status.wakeSince}` : "";
  if (state === "connected") {
    const seldom =
      typeof status?.pollAfterSeconds === "number"
        ? `, and an idle agent polls every ${status.pollAfterSeconds} s`
        : "";
    return wakeSocket.ok(`open${since}: the service announces each job${seldom}`);
  }
  if (state === "off") return wakeSocket.ok(WAKE_OFF);
  if (state === "unsupported") {
    return wakeSocket.warn(
      `closed${since}: the service has no wake socket, or a proxy in between blocks it; jobs are fetched every POLL_INTERVAL`,
      "let the proxy or load balancer pass WebSockets on to the service",
    );
  }
  return wakeSocket.warn(
    `closed${since}: jobs are fetched every POLL_INTERVAL`,
    "the agent opens it again automatically; its log says why it closed",
  );
}

function describeRunning(paths: StatePaths, status: AgentStatus | null): Check {
  const noted = readStatusFile(paths.status);
  const who = noted === null ? "an agent runs on this vault" : `an agent runs on this vault (pid ${noted.pid})`;
  if (status === null) {
    if (noted === null) return agent.warn(`${who} and has not registered`, "read its log for the reason");
    return agent.ok(`${who}, version ${noted.version}, registered ${noted.registeredAt}`);
  }
  if (!status.connected) {
    const why = status.lastError === null ? "it has not registered yet" : `last error: ${status.lastError}`;
    return agent.warn(
      `${who} without contact to the service: ${why}`,
      "see the checks of the service, and the agent's log",
    );
  }
  if (!status.journal.writable) return agent.fail(`${who} and cannot write its journal`, "make room on its disk");
  if (status.enabled === false)
    return agent.warn(`${who} and is disabled: it gets no jobs`, "enable it in the service");
  if (status.version !== AGENT_VERSION) {
    return agent.warn(
      `${who} in version ${status.version}; this executable is ${AGENT_VERSION}`,
      "restart the agent to run this executable",
    );
  }
  return agent.ok(`${who}, version ${status.version}, last poll ${status.lastPollAt ?? "not yet"}`);
}

/** `GET /v1/status` of an agent that recorded its address; null without a token or a valid status. Throws NotProven. */
export async function askStatus(url: string, token: string | null): Promise<AgentStatus | null> {
  if (token === null) return null;
  const connection = await AdminConnection.open({ url, token, timeoutMs: STATUS_TIMEOUT_MS });
  try {
    const { body } = await connection.send("GET", "/v1/status");
    return z.object({ data: statusSchema }).safeParse(body).data?.data ?? null;
  } finally {
    connection.close();
  }
}

async function checkPort(port: number, ownUrl: string | null): Promise<Check> {
  if (ownUrl !== null) return admin.ok(`${ownUrl} belongs to the running agent`);
  if (port === 0) return admin.ok("any free port (ADMIN_PORT=0)");
  const error = await listenOnce(port);
  if (error === null) return admin.ok(`127.0.0.1:${port} is free`);
  if (hasCode(error, "EADDRINUSE")) {
    return admin.fail(
      `127.0.0.1:${port} is taken by another program`,
      "set ADMIN_PORT to a free port, or to 0 for any",
    );
  }
  return admin.fail(`this user may not listen on 127.0.0.1:${port}`, "set ADMIN_PORT to a port above 1023");
}

function listenOnce(port: number): Promise<Error | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(null)));
  });
}

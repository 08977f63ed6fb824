import type { ConnectionCheck } from "../executor.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { HostConnection, type Place, whereOf } from "./connection.ts";
import { IDENTIFY } from "./envelopes.ts";
import type { Login } from "./log-in.ts";
import { productOf, WsmanSession } from "./session.ts";
import { closeShell, openShell } from "./shell.ts";
import { readXml } from "./xml.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const IDENTIFY_TIMEOUT_MS = 10_000;

/** "TCP connection", "TLS" with useSsl, "WinRM", "Authentication", up to the first that fails. */
export async function testConnection(given: {
  place: Place;
  login: () => Login;
  signal: AbortSignal;
}): Promise<ConnectionCheck[]> {
  const { place, login, signal } = given;
  const checks: ConnectionCheck[] = [];
  const passed = (name: string, detail: string): void => void checks.push({ name, ok: true, detail });
  const stages = ["TCP connection", ...(place.useSsl ? ["TLS"] : []), "WinRM", "Authentication"];
  const options = { timeoutMs: CONNECT_TIMEOUT_MS, signal };
  try {
    const anonymous = await HostConnection.open(place, { ...options, passed });
    signal.addEventListener("abort", () => anonymous.close(), { once: true });
    passed("WinRM", await identified(anonymous).finally(() => anonymous.close()));
    const known = login();
    const session = await WsmanSession.open(place, known, options);
    signal.addEventListener("abort", () => session.close(), { once: true });
    passed("Authentication", await tried(session, known).finally(() => session.close()));
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const name = stages[checks.length] ?? "Authentication";
    checks.push({ name, ok: false, detail: error.message });
  }
  return checks;
}

/** Sends Identify without a login (DSP0226, 11.1). A host that requires a login answers 401, which shows WinRM, too. */
async function identified(connection: HostConnection): Promise<string> {
  const where = whereOf(connection.place);
  const answer = await connection.post({
    path: "/wsman-anon/identify",
    headers: { "content-type": "application/soap+xml;charset=UTF-8", wsmanidentify: "unauthenticated" },
    body: Buffer.from(IDENTIFY),
    timeoutMs: IDENTIFY_TIMEOUT_MS,
  });
  if (answer.status === 200) return `${productOf(readXml(answer.body.toString("utf8")))} answers on ${where}.`;
  if (answer.status === 401 && answer.offers.length > 0) return `${where} answers, and requires a login first.`;
  const message = `${where} answers HTTP ${answer.status}, so it is not WinRM. Check the port (5985 for HTTP, 5986 for HTTPS), and run Enable-PSRemoting on the host.`;
  throw new ExecutorFailure("invalid_response", message);
}

/** Makes and deletes a shell, which needs the same rights as an action. */
async function tried(session: WsmanSession, { username, method }: Login): Promise<string> {
  const product = await session.identify();
  await closeShell(session, await openShell(session, {}));
  return `${username} is logged in by ${method} and may run commands (${product}).`;
}

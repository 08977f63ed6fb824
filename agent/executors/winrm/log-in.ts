import { ExecutorFailure } from "../shared/failures.ts";
import { basicName, readAccount } from "./account.ts";
import { serverEndPoint } from "./channel-binding.ts";
import { type Answer, type HostConnection, whereOf } from "./connection.ts";
import { RIGHTS_HINT } from "./faults.ts";
import { answerNtlm } from "./ntlm.ts";
import { negotiateMessage } from "./ntlm-messages.ts";
import { ntlmSealing, type Sealing } from "./sealing.ts";

const STEP_TIMEOUT_MS = 10_000;

export interface Login {
  method: "basic" | "ntlm";
  username: string;
  password: string;
}

export interface LoggedIn {
  login: Login;
  /** Sent with every request; null when the login belongs to the connection. */
  authorization: string | null;
  /** Set when messages must be encrypted, because the connection is not. */
  sealing: Sealing | null;
}

/** Logs in. Only the first request shows if Basic is accepted. Throws `authentication_failed`, `connection_lost`. */
export async function logIn(connection: HostConnection, login: Login): Promise<LoggedIn> {
  switch (login.method) {
    case "basic": {
      const pair = Buffer.from(`${basicName(login.username)}:${login.password}`).toString("base64");
      return { login, authorization: `Basic ${pair}`, sealing: null };
    }
    case "ntlm":
      return await logInByNtlm(connection, login);
  }
}

/** Why the host refuses this login, with the usual causes. */
export function notLoggedIn(answer: Answer, where: string, { method, username }: Login): ExecutorFailure {
  const offers = answer.offers.map((offer) => offer.split(" ")[0] ?? "");
  const scheme = method === "basic" ? "Basic" : "Negotiate";
  if (!offers.some((offer) => offer.toLowerCase() === scheme.toLowerCase())) {
    if (offers.length === 0) {
      return failed(
        `${where} requires a login but offers no method. Check that this is WinRM: its ports are 5985 for HTTP, 5986 for HTTPS.`,
      );
    }
    const offered = offers.join(", ").slice(0, 200);
    const remedy =
      method === "basic"
        ? "Choose ntlm; or, for a local account over HTTPS, Set-Item WSMan:\\localhost\\Service\\Auth\\Basic $true on the host."
        : "Set-Item WSMan:\\localhost\\Service\\Auth\\Negotiate $true on the host, or choose what it offers.";
    return failed(`${where} does not offer ${scheme} authentication, only ${offered}. ${remedy}`);
  }
  const accounts =
    method === "basic"
      ? "Basic takes accounts of that machine only, not of a domain."
      : "Write an account of that machine as .\\name, one of a domain as DOMAIN\\name or name@domain.";
  return failed(
    `${where} refused the login of ${username} by ${method}. Check the user name and the password, and that the account is not locked or expired. ${accounts} ${RIGHTS_HINT}`,
  );
}

async function logInByNtlm(connection: HostConnection, login: Login): Promise<LoggedIn> {
  const where = whereOf(connection.place);
  const step = (token: Buffer): Promise<Answer> =>
    connection.post({
      path: "/wsman",
      headers: { authorization: `Negotiate ${token.toString("base64")}` },
      body: Buffer.alloc(0),
      timeoutMs: STEP_TIMEOUT_MS,
    });
  const negotiate = negotiateMessage();
  const challenged = await step(negotiate);
  const challenge = challenged.offers.map((offer) => /^Negotiate ([A-Za-z0-9+/=]+)$/iu.exec(offer)?.[1]).find(Boolean);
  if (challenged.status !== 401 || challenge === undefined) {
    if (challenged.status === 401) throw notLoggedIn(challenged, where, login);
    throw failed(
      `${where} answered HTTP ${challenged.status} to a login by NTLM. Check that the port is WinRM's: 5985 for HTTP, 5986 for HTTPS.`,
    );
  }
  const answer = answerNtlm(negotiate, Buffer.from(challenge, "base64"), {
    account: readAccount(login.username),
    password: login.password,
    service: `HTTP/${connection.place.host}`,
    channelBinding: serverEndPoint(connection.socket),
    now: Date.now(),
  });
  const last = await step(answer.message);
  if (last.status === 401) throw notLoggedIn(last, where, login);
  if (last.status !== 200)
    throw failed(
      `${where} answered HTTP ${last.status} to the last step of a login by NTLM. Check the port and the host's NTLM policy.`,
    );
  // TLS encrypts the messages already, and hosts then accept them unencrypted.
  const sealing = connection.place.useSsl ? null : ntlmSealing(answer.sessionKey);
  return { login, authorization: null, sealing };
}

function failed(message: string): ExecutorFailure {
  return new ExecutorFailure("authentication_failed", message);
}

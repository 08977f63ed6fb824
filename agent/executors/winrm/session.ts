import { randomUUID } from "node:crypto";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { ENVELOPE_MAX_BYTES, envelope, IDENTIFY, type Operation } from "./envelopes.ts";
import { type Answer, authorityOf, HostConnection, type Place, whereOf } from "./connection.ts";
import { faultIn } from "./faults.ts";
import { type LoggedIn, logIn, type Login, notLoggedIn } from "./log-in.ts";
import { decryptedBody, ENCRYPTED_TYPE, encryptedBody } from "./multipart.ts";
import { elementOf, readXml, textOf, type XmlElement } from "./xml.ts";

const SOAP_TYPE = "application/soap+xml;charset=UTF-8";
const IDENTIFY_TIMEOUT_MS = 10_000;
/** The time for an answer's transfer, beyond the host's own limit. */
const TRANSIT_MS = 10_000;
/** The limit of newer hosts, 500 KiB. No host accepts more by default. */
const REQUEST_MAX_BYTES = 512_000;

/** A connection to a host with a login. */
export class WsmanSession {
  private constructor(
    readonly connection: HostConnection,
    private readonly loggedIn: LoggedIn,
  ) {}

  /** Throws the errors of connecting and of the login. */
  static async open(
    place: Place,
    login: Login,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<WsmanSession> {
    const connection = await HostConnection.open(place, options);
    return await WsmanSession.on(connection, login, options);
  }

  static async on(connection: HostConnection, login: Login, options: { signal: AbortSignal }): Promise<WsmanSession> {
    const onAbort = (): void => connection.close();
    options.signal.addEventListener("abort", onAbort, { once: true });
    try {
      return new WsmanSession(connection, await logIn(connection, login));
    } catch (error) {
      connection.close();
      throw options.signal.aborted ? jobEnded(`It was still logging in to ${whereOf(connection.place)}.`) : error;
    } finally {
      options.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Sends one operation and returns the answer's body. Throws a `WsmanFault` when the host refuses. */
  async perform(operation: Operation): Promise<XmlElement> {
    const { place } = this.connection;
    const id = randomUUID();
    const message = envelope(operation, `${place.useSsl ? "https" : "http"}://${authorityOf(place)}/wsman`, id);
    const answer = await this.#send(message, operation.timeoutSeconds * 1_000 + TRANSIT_MS);
    const relates = elementOf(answer, "RelatesTo");
    if (relates !== null && textOf(relates).toLowerCase() !== `uuid:${id}`) {
      throw new ExecutorFailure(
        "invalid_response",
        `${whereOf(place)} answered a request other than the agent's. Check on the host whether the command ran before you run the action again.`,
      );
    }
    return answer;
  }

  /** The host's product, such as `Microsoft Corporation OS: 10.0.20348 SP: 0.0 Stack: 3.0`. */
  async identify(): Promise<string> {
    return productOf(await this.#send(IDENTIFY, IDENTIFY_TIMEOUT_MS));
  }

  close(): void {
    this.connection.close();
  }

  async #send(message: string, timeoutMs: number): Promise<XmlElement> {
    const { sealing, authorization } = this.loggedIn;
    const where = whereOf(this.connection.place);
    const plain = Buffer.from(message);
    if (plain.length > REQUEST_MAX_BYTES) {
      const text = `The request has ${plain.length} bytes; WinRM hosts accept ${REQUEST_MAX_BYTES} at most, and some ${ENVELOPE_MAX_BYTES}. Pass less data.`;
      throw new ExecutorFailure("invalid_params", text);
    }
    const answer = await this.connection.post({
      path: "/wsman",
      headers: {
        "content-type": sealing === null ? SOAP_TYPE : ENCRYPTED_TYPE,
        ...(authorization === null ? {} : { authorization }),
      },
      body: sealing === null ? plain : encryptedBody(plain, sealing),
      timeoutMs,
    });
    if (answer.status === 401) throw notLoggedIn(answer, where, this.loggedIn.login);
    return this.#read(answer, where);
  }

  #read(answer: Answer, where: string): XmlElement {
    const { sealing } = this.loggedIn;
    const encrypted = /^multipart\/encrypted/iu.test(answer.contentType);
    const soap = encrypted || /^(?:application\/soap\+xml|text\/xml)/iu.test(answer.contentType);
    // On an encrypted connection, unencrypted answers are refused.
    if (!soap || encrypted !== (sealing !== null)) throw notSoap(answer, where, sealing !== null);
    const body = sealing === null ? answer.body : decryptedBody(answer.body, sealing);
    const document = readXml(body.toString("utf8"));
    const fault = faultIn(document, where);
    if (fault !== null) throw fault;
    if (answer.status !== 200) throw notSoap(answer, where, sealing !== null);
    return document;
  }
}

/** The product in an answer to Identify. Throws `invalid_response` for another answer. */
export function productOf(answer: XmlElement): string {
  const parts = ["ProductVendor", "ProductVersion"].map((name) => elementOf(answer, name));
  if (elementOf(answer, "IdentifyResponse") === null) {
    throw new ExecutorFailure(
      "invalid_response",
      "The answer does not come from a WS-Management service. Check the host and the port.",
    );
  }
  return parts
    .map((part) => (part === null ? "" : textOf(part)))
    .join(" ")
    .trim()
    .slice(0, 200);
}

function notSoap({ status, server }: Answer, where: string, encrypted: boolean): ExecutorFailure {
  const who = server === "" ? "" : ` (${server.slice(0, 80)})`;
  if (status === 404 || status === 405) {
    const text = `${where} answers HTTP ${status}${who}, so it is not WinRM. Check the port: 5985 for HTTP, 5986 for HTTPS, and Enable-PSRemoting on the host.`;
    return new ExecutorFailure("invalid_response", text);
  }
  const hint = encrypted
    ? "It did not accept, or did not send, an encrypted message."
    : "Over HTTP it may demand encrypted messages: use ntlm, or HTTPS (useSsl).";
  return new ExecutorFailure(
    "http_status",
    `${where} answered HTTP ${status}${who} without a message of WinRM. ${hint}`,
  );
}

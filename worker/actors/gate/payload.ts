import type { PayloadNames } from "../../../schema/contract/webhook-trigger.ts";
import type { BodyProblem, GateRequest, GateSettings } from "../../services/ports.ts";

type Sent = GateRequest["sent"][keyof PayloadNames];

type Payload = { ok: true; dedupeKey: string; variables: string } | { ok: false; problem: BodyProblem };

/** JSON of what templates read of a request as `webhook`, or why the body does not fit. */
export function payloadOf({ payload: names = null, verification }: GateSettings, { body, sent }: GateRequest): Payload {
  if (!body.ok) return body;
  const { dedupeKey, variables } = body;
  if (names !== null)
    return { ok: true, dedupeKey, variables: whole(withoutSignature(names, verification), body.text, sent) };
  return typeof variables === "string" ? { ok: true, dedupeKey, variables } : { ok: false, problem: variables };
}

/** The header with the signature may have any name, and is for the check alone. */
function withoutSignature(names: PayloadNames, verification: GateSettings["verification"]): PayloadNames {
  if (verification?.type !== "hmac" || verification.scheme !== "generic") return names;
  const signature = verification.header.toLowerCase();
  return { ...names, headers: names.headers.filter((name) => name !== signature) };
}

function whole(names: PayloadNames, body: string, sent: GateRequest["sent"]): string {
  // The body stays as it was sent: another spelling of its numbers could be longer.
  const text = body === "" ? "null" : body;
  return `{"body":${text},"headers":${pick(sent.headers, names.headers)},"query":${pick(sent.query, names.query)}}`;
}

/** Of a parameter that comes several times, the first. */
function pick(sent: Sent, names: readonly string[]): string {
  const found = names.map((name) => sent.find(([given]) => given === name));
  return JSON.stringify(Object.fromEntries(found.filter((entry) => entry !== undefined)));
}

import { ExecutorFailure } from "../shared/failures.ts";
import type { Sealing } from "./sealing.ts";

/** The format of an encrypted message in an HTTP body (MS-WSMV 2.2.9.1.1). */
const BOUNDARY = "--Encrypted Boundary";
const PROTOCOL = "application/HTTP-SPNEGO-session-encrypted";
const SOAP = "application/soap+xml;charset=UTF-8";
export const ENCRYPTED_TYPE = `multipart/encrypted;protocol="${PROTOCOL}";boundary="Encrypted Boundary"`;

export function encryptedBody(message: Buffer, sealing: Sealing): Buffer {
  const head = [
    BOUNDARY,
    `\tContent-Type: ${PROTOCOL}`,
    `\tOriginalContent: type=${SOAP};Length=${message.length}`,
    BOUNDARY,
    "\tContent-Type: application/octet-stream",
    "",
  ].join("\r\n");
  return Buffer.concat([Buffer.from(head), sealing.seal(message), Buffer.from(`${BOUNDARY}--\r\n`)]);
}

/** The message in an encrypted body. Throws `invalid_response` for another format, or after a change in transit. */
export function decryptedBody(body: Buffer, sealing: Sealing): Buffer {
  const declared = /OriginalContent:[^\r\n]*Length=(\d{1,9})/iu.exec(body.subarray(0, 1_024).toString("latin1"))?.[1];
  const begin = "Content-Type: application/octet-stream\r\n";
  const start = body.indexOf(begin);
  const end = body.lastIndexOf(`${BOUNDARY}--`);
  if (declared === undefined || start < 0 || end < start) {
    throw new ExecutorFailure(
      "invalid_response",
      "The host's answer is not an encrypted message of WinRM. Check which program answers on this port.",
    );
  }
  const message = sealing.unseal(body.subarray(start + begin.length, end));
  if (message.length === Number(declared)) return message;
  throw new ExecutorFailure(
    "invalid_response",
    "The host's encrypted answer does not have its announced length. Check which program answers on this port.",
  );
}

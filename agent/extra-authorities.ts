import { readFileSync } from "node:fs";
import { describeError } from "./log.ts";

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/gu;

export const AUTHORITIES_ADVICE = "let it name a PEM file that the agent's user may read";

/**
 * How many authorities the file of NODE_EXTRA_CA_CERTS holds, or what is wrong with it. The runtime itself reads it at
 * the start, and ignores a file that it cannot use, with a line that the log's readers do not see.
 */
export function extraAuthorities(path: string): { count: number } | { problem: string } {
  try {
    const count = readFileSync(path, "utf8").match(CERTIFICATE)?.length ?? 0;
    return count > 0 ? { count } : { problem: `NODE_EXTRA_CA_CERTS names ${path}, which holds no certificate` };
  } catch (error) {
    return { problem: `NODE_EXTRA_CA_CERTS names ${path}, which cannot be read (${describeError(error)})` };
  }
}

import { randomBytes } from "node:crypto";
import { open, readFile, rm } from "node:fs/promises";
import { hasCode } from "../atomic-file.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { describeError } from "../log.ts";

const TOKEN_BYTES = 32;
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/u;

/**
 * The bearer token of the admin API when none is configured. It is kept in a file that only this user can read, so it
 * survives restarts and never appears in a log (docs/design/agent-protocol.md#admin-api).
 */
export async function keptAdminToken(path: string): Promise<string> {
  try {
    const kept = await readToken(path);
    return kept ?? (await makeToken(path));
  } catch (error) {
    throw new StartRefused(
      EXIT.cannotCreate,
      `cannot keep the token of the admin API in ${path} (${describeError(error)}): ` +
        "make the place writable for this user, or set ADMIN_TOKEN",
      { cause: error },
    );
  }
}

/** Null when there is no valid token. */
export async function readToken(path: string): Promise<string | null> {
  try {
    const token = (await readFile(path, "utf8")).trim();
    return TOKEN_FORM.test(token) ? token : null;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

async function makeToken(path: string): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${token}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return token;
}

import { randomBytes } from "node:crypto";
import { makeToken } from "../sqld/token.ts";
import { requireAddressOfToken } from "../database-choice.ts";
import type { Environment } from "../database-choice.ts";
import { deployedDatabase } from "./deployed-database.ts";

const PORT = "8788";
/** An Ed25519 key is at the end of its DER. */
const KEY_BYTES = 32;

/** The lines of database.env, with new secrets, for the DATABASE, DATABASE_URL and DATABASE_AUTH_TOKEN of now. */
export function databaseSettings(environment: Environment): string {
  return Object.entries(settingsFor(environment))
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

function settingsFor(environment: Environment): Record<string, string> {
  requireAddressOfToken(environment);
  const choice = deployedDatabase(environment);
  const port = environment["DATABASE_PORT"]?.trim() || PORT;
  const own = { DATABASE_PORT: port, DATABASE_URL: `http://127.0.0.1:${port}` };
  switch (choice.kind) {
    case "ours":
      return { ...own, DATABASE_AUTH_TOKEN: randomBytes(32).toString("hex") };
    case "sqld": {
      const { token, publicKey } = makeToken();
      const key = Buffer.from(publicKey, "base64").subarray(-KEY_BYTES).toString("base64url");
      return { DATABASE: "sqld", ...own, DATABASE_AUTH_TOKEN: token, SQLD_AUTH_JWT_KEY: key };
    }
    case "elsewhere":
      return { DATABASE_URL: choice.url, DATABASE_AUTH_TOKEN: choice.token ?? "" };
  }
}

import { randomBytes } from "node:crypto";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeToken } from "../sqld/token.ts";
import { Refused } from "../service/refused.ts";

/**
 * The settings that a local deployment keeps between starts, in `<state>/settings.json`, readable by the owner alone.
 */
const settingsSchema = z.object({
  serverSecret: z.string().min(32),
  adminToken: z.string().min(1),
  /** The database that this state began with: `ours`, `sqld`, or the address of another one. */
  database: z.string().default("ours"),
  /** Opens the local database: without it every user of the machine could. */
  databaseToken: z.string().min(1),
  /** Verifies that token, for sqld. */
  databaseKey: z.string().optional(),
  agent: z.object({ id: z.string(), apiKey: z.string() }).optional(),
  example: z.object({ workflowId: z.string(), webhookKey: z.string(), webhookSecret: z.string() }).optional(),
});
export type LocalSettings = z.infer<typeof settingsSchema>;

/** `database` is that of a new state. */
export async function readSettings(stateDirectory: string, database = "ours"): Promise<LocalSettings> {
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
  const path = join(stateDirectory, "settings.json");
  if (await Bun.file(path).exists()) return readFile(path);
  const settings: LocalSettings = {
    serverSecret: randomBytes(32).toString("base64url"),
    adminToken: randomBytes(24).toString("base64url"),
    database,
    ...(database === "sqld" ? sqldSettings() : { databaseToken: randomBytes(24).toString("base64url") }),
  };
  await writeSettings(stateDirectory, settings);
  return settings;
}

function sqldSettings(): Pick<LocalSettings, "databaseToken" | "databaseKey"> {
  const { publicKey, token } = makeToken();
  return { databaseToken: token, databaseKey: publicKey };
}

async function readFile(path: string): Promise<LocalSettings> {
  try {
    return settingsSchema.parse(await Bun.file(path).json());
  } catch {
    throw new Refused(`${path} is damaged. Put a copy of it back, or choose another directory with BELLHOP_STATE.`);
  }
}

export async function writeSettings(stateDirectory: string, settings: LocalSettings): Promise<void> {
  const path = join(stateDirectory, "settings.json");
  await Bun.write(path, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
}

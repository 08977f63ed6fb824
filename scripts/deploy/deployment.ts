import { z } from "zod";
import { SERVICE_SETTINGS, serviceReader } from "../../schema/settings/service.ts";
import { namesOf } from "../../schema/settings/setting.ts";
import { Refused } from "../service/refused.ts";

/** The top level of wrangler.toml, which has an empty name for wrangler. */
const PRODUCTION = "production";
const DATABASE_SCHEMES = new Set(["libsql:", "https:", "http:"]);

const deploymentSchema = z.object({ name: z.string(), vars: z.record(z.string(), z.string()) });
const wranglerSchema = deploymentSchema.extend({ env: z.record(z.string(), deploymentSchema).default({}) });

/** One of the deployments in wrangler.toml. */
export interface Deployment {
  /** The Worker's name. */
  name: string;
  vars: Readonly<Record<string, string>>;
  /** Selects this deployment in a wrangler command. */
  flag: string;
}

/** Throws Refused for a name that is not in wrangler.toml. */
export function readDeployment(wranglerToml: string, environment: string): Deployment {
  const { env, ...production } = wranglerSchema.parse(Bun.TOML.parse(wranglerToml));
  if (environment === PRODUCTION) return { ...production, flag: "--env=" };
  const found = env[environment];
  if (found !== undefined) return { ...found, flag: `--env=${environment}` };
  const known = [PRODUCTION, ...Object.keys(env)].join(", ");
  throw new Refused(`wrangler.toml has no environment "${environment}": choose one of ${known}.`);
}

/** Settings that a deployment needs before it can begin, as messages. */
export function settingsProblems({ vars }: Deployment, databaseToken: string): string[] {
  const problems: string[] = [];
  const reader = serviceReader(vars, problems);
  for (const name of namesOf(SERVICE_SETTINGS, "var")) reader.read(name);
  if (!isDatabase(vars["DATABASE_URL"] ?? "")) {
    problems.push("DATABASE_URL in wrangler.toml is not the address of your database: libsql://….turso.io");
  }
  if (databaseToken === "") {
    problems.push("DATABASE_AUTH_TOKEN is not in the environment: the migration opens the database with it");
  }
  return problems;
}

/** The missing ones of the secrets that a deployment needs to serve. */
export function missingSecrets(present: readonly string[]): string[] {
  return namesOf(SERVICE_SETTINGS, "secret").filter(
    (name) => SERVICE_SETTINGS[name].note === "**required**" && !present.includes(name),
  );
}

function isDatabase(address: string): boolean {
  return DATABASE_SCHEMES.has(URL.parse(address)?.protocol ?? "") && !address.includes("set-this-to-your");
}

import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";

/** Settings that `npm start` makes for this machine, or reads itself (scripts/database-choice.ts). */
const MADE_HERE = new Set(["DATABASE_URL", "DATABASE_AUTH_TOKEN", "BELLHOP_SECRET", "BOOTSTRAP_ADMIN_TOKEN"]);

/** The service's settings that `npm start` takes from its environment; an empty value counts as unset. */
export function workerSettings(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.keys(SERVICE_SETTINGS).flatMap((name) => {
      const value = environment[name] ?? "";
      return MADE_HERE.has(name) || value.trim() === "" ? [] : [[name, value]];
    }),
  );
}

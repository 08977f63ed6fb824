import { probeDatabase } from "../store/readiness.ts";
import type { Deps } from "./deps.ts";
import { settingsProblems } from "./settings.ts";

/** Why the deployment cannot serve, in words that say what to do; empty when it can. */
export async function readinessProblems(deps: Deps): Promise<string[]> {
  const problems = settingsProblems(deps.env);
  if (problems.length > 0) return problems;
  try {
    await probeDatabase(deps.db);
    return [];
  } catch {
    return ["The database does not answer, or is not migrated: check DATABASE_URL and run npm run migrate."];
  }
}

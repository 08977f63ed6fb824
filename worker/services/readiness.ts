import { NEWEST_MIGRATION } from "../../schema/newest-migration.ts";
import { databaseState } from "../store/readiness.ts";
import { BriefMemory } from "./brief-memory.ts";
import type { Deps } from "./deps.ts";
import { withTimeout } from "../actors/kit/with-timeout.ts";

export interface Readiness {
  problems: string[];
  checks: { name: "settings" | "database" | "objects"; ready: boolean }[];
}

/** An isolate checks at most once a second, however often it is asked, and does not repeat a check that hangs. */
const KEEP_MS = 1_000;
const STALE_MS = 5_000;
/** Below the promised answer time of three seconds. */
const CHECK_LIMIT_MS = 2_500;

const memory = new BriefMemory<Readiness>({ keepMs: KEEP_MS, staleMs: STALE_MS });

/** Whether the deployment can serve. Each problem says what to do. */
export function readiness(deps: Deps): Promise<Readiness> {
  return memory.get(deps.now, () => look(deps));
}

async function look(deps: Deps): Promise<Readiness> {
  const wrong = deps.settings.problems;
  // Without settings the other checks mean nothing.
  if (wrong.length > 0) return { problems: wrong, checks: [{ name: "settings", ready: false }] };
  const [database, objects] = await Promise.all([databaseProblems(deps), objectsProblems(deps)]);
  return {
    problems: [...database, ...objects],
    checks: [
      { name: "settings", ready: true },
      { name: "database", ready: database.length === 0 },
      { name: "objects", ready: objects.length === 0 },
    ],
  };
}

async function databaseProblems({ openDatabase }: Deps): Promise<string[]> {
  const asked = databaseState(openDatabase(CHECK_LIMIT_MS));
  const state = await withTimeout(CHECK_LIMIT_MS, "the database", asked).catch(() => "unreachable" as const);
  switch (state) {
    case "ready":
      return [];
    case "behind":
      return [
        `The database lacks migrations that this version needs, the last of them ${NEWEST_MIGRATION.tag}: run npm run migrate with its DATABASE_URL.`,
      ];
    case "refused":
      return [
        "The database refuses DATABASE_AUTH_TOKEN: set the token that this database's server accepts for reading and writing. Webhooks are accepted meanwhile, and their executions start with the right token.",
      ];
    case "unreachable":
      return [
        "The database does not answer: check that it runs, DATABASE_URL and DATABASE_AUTH_TOKEN. Webhooks are accepted meanwhile, and their executions start when it is back.",
      ];
  }
}

/** A gate without a workflow answers like any other, and stores nothing. */
async function objectsProblems({ objects }: Deps): Promise<string[]> {
  try {
    await withTimeout(CHECK_LIMIT_MS, "a Durable Object", objects.gate("readiness").verifiers("readiness"));
    return [];
  } catch {
    return [
      "Durable Objects do not answer: check the bindings and migrations of wrangler.toml, and the platform's status; on one machine, that the directory of their storage can be written.",
    ];
  }
}

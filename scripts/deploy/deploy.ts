import { innermost, migrateDatabase } from "../migrate-database.ts";
import { Refused } from "../service/refused.ts";
import { deployWorker, secretNames, signedInAccounts } from "./cloudflare.ts";
import { missingSecrets, readDeployment, settingsProblems } from "./deployment.ts";

export interface DeployDeps {
  /** The text of wrangler.toml. */
  wranglerToml: string;
  /** DATABASE_AUTH_TOKEN of the environment; empty when unset. */
  databaseToken: string;
  /** The command and its first arguments. Throws Refused when wrangler cannot run here. */
  wrangler: () => readonly string[];
  /** Returns one line for each part. */
  build: () => Promise<string[]>;
  report: (line: string) => void;
}

/**
 * Runs every possible check, then builds, migrates the database, deploys the Worker, and reports each step. A dry run
 * needs no account: it reports what is missing, builds, and changes nothing. Throws Refused with what to do.
 */
export async function deploy(
  { environment, isDryRun }: { environment: string; isDryRun: boolean },
  deps: DeployDeps,
): Promise<void> {
  const { report, databaseToken } = deps;
  const deployment = readDeployment(deps.wranglerToml, environment);
  const problems = settingsProblems(deployment, databaseToken);
  const wrangler = commandOr(problems, deps.wrangler);
  const list = problems.map((problem) => `\n  - ${problem.replace(/\.$/u, "")}`).join("");
  if (isDryRun) {
    for (const line of await deps.build()) report(line);
    report(`Nothing was changed. A deployment migrates the database, then deploys the Worker ${deployment.name}.`);
    if (list !== "") report(`Before that:${list}`);
    return;
  }
  if (list !== "") throw new Refused(`nothing was deployed. First:${list}`);

  report(`Signed in at Cloudflare: ${(await signedInAccounts(wrangler)).join(", ")}.`);
  for (const line of await deps.build()) report(line);
  await migrate({ url: deployment.vars["DATABASE_URL"] ?? "", authToken: databaseToken });
  report("The database is at the newest schema.");
  const { version, targets } = await deployWorker(wrangler, deployment.flag);
  report(`The Worker ${deployment.name} is deployed, version ${version}: ${targets.join(", ") || "no address"}.`);
  const missing = missingSecrets(await secretNames(wrangler, deployment.flag));
  for (const name of missing)
    report(`It does not serve before this: npx wrangler secret put ${name} ${deployment.flag}`);
  report("GET /readyz there answers 200 when it is ready, and otherwise says what to do.");
}

/** A wrangler that cannot run is one problem in the list: every problem is reported at once. */
function commandOr(problems: string[], find: DeployDeps["wrangler"]): readonly string[] {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    problems.push(error.message);
    return [];
  }
}

async function migrate(database: { url: string; authToken: string }): Promise<void> {
  try {
    await migrateDatabase(database);
  } catch (error) {
    throw new Refused(
      `the database could not be migrated, and the Worker was not deployed: ${innermost(error)}. Check DATABASE_URL in wrangler.toml and DATABASE_AUTH_TOKEN, then repeat.`,
    );
  }
}

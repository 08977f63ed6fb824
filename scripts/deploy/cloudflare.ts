import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../paths.ts";
import { Refused } from "../service/refused.ts";
import { runWrangler, wranglerEnvironment } from "../wrangler.ts";

const whoamiSchema = z.object({ accounts: z.array(z.object({ name: z.string() })) });
const secretsSchema = z.array(z.object({ name: z.string() }));
/** A line of the file at WRANGLER_OUTPUT_FILE_PATH. */
const deployedSchema = z.object({
  type: z.literal("deploy"),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
});

/** The names of the accounts that wrangler is signed in to. Throws Refused when it is not signed in. */
export async function signedInAccounts(wrangler: readonly string[]): Promise<string[]> {
  const { code, stdout, said } = await runWrangler(wrangler, ["whoami", "--json"]);
  if (code === 0) return whoamiSchema.parse(JSON.parse(stdout)).accounts.map(({ name }) => name);
  const isSignedOut = /"loggedIn":\s*false/u.test(said);
  const what = isSignedOut ? "wrangler is not signed in at Cloudflare" : `Cloudflare did not accept wrangler: ${said}`;
  throw new Refused(`${what}. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.`);
}

/** Shows wrangler's output; wrangler may ask questions. Throws Refused when it fails. */
export async function deployWorker(wrangler: readonly string[], flag: string) {
  const scratch = await mkdtemp(join(tmpdir(), "bellhop-deploy-"));
  try {
    const output = join(scratch, "output.ndjson");
    const child = Bun.spawn([...wrangler, "deploy", flag], {
      cwd: ROOT,
      env: { ...wranglerEnvironment(), WRANGLER_OUTPUT_FILE_PATH: output },
      stdio: ["inherit", "inherit", "inherit"],
    });
    if ((await child.exited) !== 0) throw new Refused("wrangler did not deploy the Worker: see above.");
    const lines = (await readFile(output, "utf8")).split("\n").filter((line) => line !== "");
    const [deployed] = lines.flatMap((line) => deployedSchema.safeParse(JSON.parse(line)).data ?? []);
    return { version: deployed?.version_id ?? "unknown", targets: deployed?.targets ?? [] };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The names of the secrets that a deployment has. Throws when they cannot be listed. */
export async function secretNames(wrangler: readonly string[], flag: string): Promise<string[]> {
  const { code, stdout, said } = await runWrangler(wrangler, ["secret", "list", flag]);
  if (code !== 0)
    throw new Refused(
      `wrangler could not list the secrets: ${said}. Check the rights of the account, then deploy again.`,
    );
  return secretsSchema.parse(JSON.parse(stdout)).map(({ name }) => name);
}

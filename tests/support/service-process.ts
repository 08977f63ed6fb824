import { appendFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { jobSchema } from "../../schema/contract/agent.ts";
import { hostTarget } from "../../scripts/build-agent.ts";
import { FakeService } from "./fake-service.ts";
import { ServiceFront } from "./service-front.ts";

/**
 * A deployment in a separate process, for a machine with another network than the test's. All communication is through
 * files in its directory: `address.json` has its address; it reads jobs from `jobs.jsonl`, releases from
 * `releases.jsonl` and ids of jobs from `cancels.jsonl`; it writes the agents' reports to `results.jsonl` and their
 * registrations to `registrations.jsonl`.
 */
const LOOK_MS = 20;
const [directory = ""] = process.argv.slice(2);
const service = await FakeService.start();
const front = new ServiceFront({ upstream: service.url });
writeFileSync(
  join(directory, "address.json"),
  JSON.stringify({ url: front.url, port: front.port, releaseKey: front.releaseKey }),
);

const releaseSchema = z.object({ version: z.string(), executable: z.string() });
const taken = { jobs: 0, releases: 0, cancels: 0 };
const written = { results: 0, registrations: 0 };
for (;;) {
  for (const line of await newLines("jobs")) service.enqueue(jobSchema.partial().parse(JSON.parse(line)));
  for (const line of await newLines("releases")) {
    const { version, executable } = releaseSchema.parse(JSON.parse(line));
    front.publish(version, { [hostTarget()]: await readFile(executable) });
  }
  for (const line of await newLines("cancels")) service.cancel(z.string().parse(JSON.parse(line)));
  for (const name of ["results", "registrations"] as const) {
    for (const entry of service[name].slice(written[name])) {
      appendFileSync(join(directory, `${name}.jsonl`), `${JSON.stringify(entry)}\n`);
      written[name]++;
    }
  }
  await Bun.sleep(LOOK_MS);
}

async function newLines(name: keyof typeof taken): Promise<string[]> {
  const text = await readFile(join(directory, `${name}.jsonl`), "utf8").catch(() => "");
  // A line in progress has no end yet.
  const lines = text.split("\n").slice(0, -1);
  const fresh = lines.slice(taken[name]);
  taken[name] = lines.length;
  return fresh;
}

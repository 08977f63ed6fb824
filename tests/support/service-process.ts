import { appendFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { jobSchema } from "../../schema/contract/agent.ts";
import { hostTarget } from "../../scripts/build-agent.ts";
import { FakeService } from "./fake-service.ts";
import { ServiceFront } from "./service-front.ts";

/**
 * A deployment in a process of its own, for a machine whose network is not the test's. Everything goes by files in the
 * directory that it is given: `address.json` says where it is, `jobs.jsonl` is read for jobs, `releases.jsonl` for
 * releases, and `results.jsonl` gets what agents report.
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
const taken = { jobs: 0, releases: 0, results: 0 };
for (;;) {
  for (const line of await newLines("jobs")) service.enqueue(jobSchema.partial().parse(JSON.parse(line)));
  for (const line of await newLines("releases")) {
    const { version, executable } = releaseSchema.parse(JSON.parse(line));
    front.publish(version, { [hostTarget()]: await readFile(executable) });
  }
  for (const result of service.results.slice(taken.results)) {
    appendFileSync(join(directory, "results.jsonl"), `${JSON.stringify(result)}\n`);
    taken.results++;
  }
  await Bun.sleep(LOOK_MS);
}

async function newLines(name: "jobs" | "releases"): Promise<string[]> {
  const text = await readFile(join(directory, `${name}.jsonl`), "utf8").catch(() => "");
  // A line that is still being written has no end yet.
  const lines = text.split("\n").slice(0, -1);
  const fresh = lines.slice(taken[name]);
  taken[name] = lines.length;
  return fresh;
}

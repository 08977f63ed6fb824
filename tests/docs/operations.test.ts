import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";
import { debianPeer } from "../support/debian-peer.ts";
import { newActivity, noteFinished } from "../../agent/activity.ts";
import { renderMetrics } from "../../agent/admin/metrics.ts";
import { parsePrometheusText } from "../support/prometheus-text.ts";

/** The page's metrics exist, and its alert rules are valid. */
const ROOT = join(import.meta.dir, "../..");
const page = await Bun.file(join(ROOT, "docs/operations.md")).text();
const PROMTOOL = "/usr/bin/promtool";
const promtoolMissing = debianPeer(PROMTOOL, "prometheus");

function sectionOf(title: string): string {
  return (page.split(new RegExp(`^## ${title}$`, "mu"))[1] ?? "").split(/^## /mu)[0] ?? "";
}

function named(text: string): string[] {
  return [...new Set([...text.matchAll(/`(bellhop_[a-z_]+)`/gu)].map(([, name = ""]) => name))].sort();
}

test("the page lists all of the service's metrics and no other", async () => {
  const folder = join(ROOT, "worker/services/metrics");
  const sources = await Promise.all(
    [...new Glob("*.ts").scanSync(folder)].map((name) => Bun.file(join(folder, name)).text()),
  );
  const written = [...sources.join("\n").matchAll(/"(bellhop_[a-z_]+)"/gu)].map(([, name = ""]) => name);
  expect(named(sectionOf("The service's metrics"))).toEqual([...new Set(written)].sort());
});

test("the page lists all of an agent's metrics and no other", () => {
  const activity = newActivity(0);
  noteFinished(activity, "script.bash", "succeeded");
  const text = renderMetrics(activity, {
    version: "1",
    runningJobs: 0,
    maxConcurrentJobs: 1,
    owedResults: 0,
    journalWritable: true,
    credentials: 0,
    residentBytes: 0,
    now: 0,
  });
  expect(named(sectionOf("An agent's metrics"))).toEqual([...parsePrometheusText(text).keys()].sort());
});

test("the page's alerts use existing metrics", () => {
  const used = [...sectionOf("Alerts").matchAll(/\b(bellhop_[a-z_]+)/gu)].map(([, name = ""]) => name);
  const known = named(sectionOf("The service's metrics"));
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
  expect(used.length).toBeGreaterThan(10);
});

test.skipIf(promtoolMissing !== null)(
  "Prometheus accepts the page's alerts (skipped without Debian's prometheus)",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-rules-"));
    try {
      const file = join(directory, "rules.yaml");
      await Bun.write(file, /^```yaml\n([\s\S]*?)^```$/mu.exec(sectionOf("Alerts"))?.[1] ?? "");
      const checked = Bun.spawn([PROMTOOL, "check", "rules", file], { stdout: "pipe", stderr: "pipe" });
      const said = (await new Response(checked.stdout).text()) + (await new Response(checked.stderr).text());
      expect([await checked.exited, /SUCCESS: (\d+) rules found/u.exec(said)?.[1]]).toEqual([0, "17"]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./paths.ts";

/** What in a page looks like a path of this repository: `worker/actors/run/engine/step.ts`, `scripts/`, not `npm start`. */
const PATH_IN_CODE = /`((?:schema|worker|agent|tests|bench|scripts|docs|console)(?:\/[A-Za-z0-9_.-]+)*\/?)`/gu;
/** A test that a page names: its file, and the title of a test, a group or a case as that file writes it. */
const NAMED_TEST = /`(tests\/[A-Za-z0-9_./-]+\.test\.ts)`: "([^"|]+)"/gu;
const LINK = /(?:\]\(|src=")(?!https?:)([^)#\s"]*)(?:#([^)\s"]+))?/gu;

/** Every path, link and test that README, ARCHITECTURE, AGENTS or docs name and that does not exist. */
export async function checkDocs(): Promise<string[]> {
  const problems: string[] = [];
  for (const page of await pages()) {
    const text = await Bun.file(join(ROOT, page)).text();
    for (const [, path] of text.matchAll(PATH_IN_CODE)) {
      if (path !== undefined && !existsSync(join(ROOT, path)))
        problems.push(`${page} names ${path}, which does not exist`);
    }
    for (const [, path = "", title = ""] of text.matchAll(NAMED_TEST)) {
      const tests = Bun.file(join(ROOT, path));
      if (!(await tests.exists())) continue;
      const written = await tests.text();
      if (!written.includes(`"${title}"`) && !written.includes(`\`${title}\``))
        problems.push(`${page} names the test "${title}", which ${path} does not have`);
    }
    for (const [, link = "", anchor] of text.matchAll(LINK)) {
      const target = link === "" ? join(ROOT, page) : join(ROOT, page, "..", link);
      if (!existsSync(target)) problems.push(`${page} links to ${link}, which does not exist`);
      else if (anchor !== undefined && target.endsWith(".md") && !(await headingsOf(target)).has(anchor))
        problems.push(`${page} links to ${link}#${anchor}, which is no heading there`);
    }
  }
  return problems;
}

/** As code hosts name them in links. */
async function headingsOf(path: string): Promise<Set<string>> {
  const headings = (await Bun.file(path).text()).matchAll(/^#+ +(.+)$/gmu);
  return new Set([...headings].map(([, title = ""]) => anchorOf(title)));
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** Two patterns: Bun's Glob finds nothing by one with braces around `**`. */
async function pages(): Promise<string[]> {
  const found: string[] = [];
  for (const pattern of ["*.md", "docs/**/*.md"]) found.push(...(await Array.fromAsync(new Glob(pattern).scan(ROOT))));
  if (found.length < 10) throw new Error(`only ${found.length} pages were found: this check would check nothing`);
  return found;
}

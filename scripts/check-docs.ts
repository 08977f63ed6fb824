import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./paths.ts";

/** A path of this repository in a page: `worker/actors/run/engine/step.ts`, `scripts/`, not `npm start`. */
const PATH_IN_CODE =
  /`((?:schema|worker|agent|tests|bench|chaos|scripts|docs|console|\.ci)(?:\/[A-Za-z0-9_.-]+)*\/?)`/gu;
/** A test that a page names: its file, and the title of a test, group or case as that file spells it. */
const NAMED_TEST = /`(tests\/[A-Za-z0-9_./-]+\.test\.ts)`: "([^"|]+)"/gu;
/**
 * A rule as comments and messages of the code cite it: docs/design/dispatch.md#lost-jobs, ARCHITECTURE.md#invariants.
 */
const CITATION = /(?<![\w/.])((?:docs\/[\w/-]+|ARCHITECTURE|AGENTS|README)\.md)(?:#([\w-]+))?/gu;
/** It names the documents outside. */
const OWN_FILE = "scripts/check-docs.ts";
const LINK = /(?:\]\(|src=")(?!https?:)([^)#\s"]*)(?:#([^)\s"]+))?/gu;

/** A decision's title, such as `# 0008: Operations are data`, and its sections in their order. */
const DECISION_TITLE = /^# (\d{4}): [^\sa-z]/u;
const DECISION_SECTIONS = /^(?:Context )?Decision Why Consequences(?: Measured)?$/u;

const PAGES = ["*.md", "docs/**/*.md"];
/** Also of units, settings and styles. */
export const CODE_ENDINGS = "ts,tsx,mjs,sh,ps1,css,html,py,example,service,timer,sysusers,tmpfiles,yaml,capnp";
/** A document that is not in this repository. */
const OUTSIDE = /\b(?:DESIGN|HOUSE|FACTS|STYLE)\.md\b/gu;
const FOLDERS = ["schema", "worker", "agent", "console", "scripts", "bench", "chaos", "tests"];
const CODE = [...FOLDERS.map((folder) => `${folder}/**/*.{${CODE_ENDINGS}}`), "*.toml", ".oxlintrc.json", ".ci/*"];

/**
 * Every path, link and test that README, ARCHITECTURE, AGENTS or docs name and that does not exist, and every decision
 * without the common sections.
 */
export async function checkDocs(): Promise<string[]> {
  const problems: string[] = [];
  for (const page of await found(PAGES)) {
    const text = await Bun.file(join(ROOT, page)).text();
    if (page.startsWith("docs/decisions/")) problems.push(...decisionProblems(page, text));
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
  return [...problems, ...(await citationProblems())];
}

/** What a decision lacks of the common format: the title with the file's number, and the sections in order. */
export function decisionProblems(page: string, text: string): string[] {
  const problems: string[] = [];
  if (DECISION_TITLE.exec(text)?.[1] !== basename(page).slice(0, 4))
    problems.push(`${page} must begin with "# ${basename(page).slice(0, 4)}: " and a title with a capital`);
  const labels = [...text.matchAll(/^(?:\*\*(.+?)\.?\*\*|##+ +(.+)$)/gmu)].map(
    ([, label, heading]) => label ?? heading,
  );
  if (!DECISION_SECTIONS.test(labels.join(" ")))
    problems.push(
      `${page} has the sections "${labels.join(", ")}"; write Context (optional), Decision, Why, Consequences, Measured (optional)`,
    );
  return problems;
}

/** Every page or heading that the code cites and that does not exist. */
async function citationProblems(): Promise<string[]> {
  const problems: string[] = [];
  for (const file of await found([...CODE, ...PAGES])) {
    const text = await Bun.file(join(ROOT, file)).text();
    if (file !== OWN_FILE)
      problems.push(
        ...[...text.matchAll(OUTSIDE)].map(([name]) => `${file} refers to ${name}, which is not in this repository`),
      );
    // Pages name each other relative to themselves: checked above.
    if (file.endsWith(".md")) continue;
    for (const [, page = "", anchor] of text.matchAll(CITATION)) {
      const target = join(ROOT, page);
      if (!existsSync(target)) problems.push(`${file} cites ${page}, which does not exist`);
      else if (anchor !== undefined && !(await headingsOf(target)).has(anchor))
        problems.push(`${file} cites ${page}#${anchor}, which is no heading there`);
    }
  }
  return problems;
}

/** The anchors of a page's headings, spelled as code hosts spell them. */
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

/** One glob per pattern: braces around `**` match nothing in Bun's Glob. */
async function found(patterns: readonly string[]): Promise<string[]> {
  const files = (
    await Promise.all(patterns.map((each) => Array.fromAsync(new Glob(each).scan({ cwd: ROOT, dot: true }))))
  ).flat();
  if (files.length < 10) throw new Error(`only ${files.length} files were found: this check would check nothing`);
  return files;
}

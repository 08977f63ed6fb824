import { join } from "node:path";
import { checkDocs } from "./check-docs.ts";
import { checkDerivedPages } from "./derived-pages.ts";
import { checkSiblings } from "./check-siblings.ts";
import { checkStrings } from "./check-strings.ts";
import { checkWords } from "./check-words.ts";
import { refuseUnknownOptions } from "./known-options.ts";
import { ROOT } from "./paths.ts";

/**
 * `npm run check`: format, lint, imports between siblings, types, dead code, words, the place of the console's texts, and pages: what they name exists, and
 * what derives from the code is right. `npm run format` (`--format`) formats; `npm run derive` (`--derive`) writes what
 * derives from the code.
 */
refuseUnknownOptions("npm run check", process.argv.slice(2), ["--format", "--derive"]);
const [task] = process.argv.slice(2);
const bin = (name: string) => join(ROOT, "node_modules/.bin", name);

interface Step {
  name: string;
  command?: string[];
  check?: () => Promise<string[]>;
}

const CHECKS: Step[] = [
  { name: "format", command: [bin("oxfmt"), "--check"] },
  { name: "lint", command: [bin("oxlint"), "--deny-warnings"] },
  { name: "siblings", check: checkSiblings },
  // Projects are checked side by side; several checkers within one would repeat each other's work.
  { name: "types", command: [bin("tsc"), "-b", "--checkers", "1"] },
  { name: "dead code", command: [process.execPath, "--bun", join(ROOT, "node_modules/knip/bin/knip.js")] },
  { name: "derived", check: () => checkDerivedPages(false) },
  { name: "words", check: checkWords },
  { name: "strings", check: checkStrings },
  { name: "pages", check: checkDocs },
];
const steps: Step[] =
  task === "--format"
    ? [{ name: "format", command: [bin("oxfmt")] }]
    : task === "--derive"
      ? [{ name: "derived", check: () => checkDerivedPages(true) }]
      : CHECKS;

const failed: string[] = [];
for (const step of steps) {
  const startedAt = performance.now();
  const problems = step.command === undefined ? await step.check?.() : await run(step.command);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (problems === undefined || problems.length === 0) console.log(`✓ ${step.name} (${seconds} s)`);
  else {
    failed.push(step.name);
    console.log(`✗ ${step.name} (${seconds} s)\n${problems.join("\n")}\n`);
  }
}
if (failed.length > 0) console.log(`npm run check found problems in: ${failed.join(", ")}.`);
process.exit(failed.length === 0 ? 0 : 1);

async function run(command: string[]): Promise<string[]> {
  const child = Bun.spawn(command, { cwd: ROOT, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return code === 0 ? [] : [`${out}${err}`.trim() || `ended with code ${code}`];
}

import { dirname, join, normalize } from "node:path";
import { Glob, Transpiler } from "bun";
import { z } from "zod";
import { didYouMean } from "../schema/contract/nearest-value.ts";
import { ROOT } from "./paths.ts";

/** A change of one of these can affect every test. */
const AFFECTS_ALL =
  /^(?:package(?:-lock)?\.json|bunfig\.toml|(?:.*\/)?tsconfig[^/]*\.json|tests\/support\/quiet-log\.ts)$/u;
const FOLDERS = "{schema,worker,agent,console,scripts,bench,chaos,tests,docs,.ci}";
/** `startBellhop({ console: true })` serves the built console. */
const OPENS_CONSOLE = /\bconsole: true\b/u;
const TAKES_VALUE = /^(?:-t|--test-name-pattern|--timeout|--rerun-each)$/u;
const LITERAL = /"((?:\.{1,2}\/)*[\w.@-]+(?:\/[\w.@*-]+)*)"/gu;

/** What each source imports or names: files, directories and globs, as paths from the root. */
export type Sources = ReadonlyMap<string, ReadonlySet<string>>;

/** The files that differ from a commit, and those that git does not know yet. Throws when git does not know the commit. */
export async function changedFiles(commit = "HEAD"): Promise<string[]> {
  const lists = await Promise.all([
    git("diff", "--name-only", "--no-renames", commit, "--"),
    git("ls-files", "--others", "--exclude-standard"),
  ]);
  return [...new Set(lists.flat())];
}

/** The test files that can notice a change of `changed`: those that import or name it, through any number of files. */
export function testsAffectedBy(changed: readonly string[], sources: Sources): string[] {
  if (changed.some((path) => AFFECTS_ALL.test(path))) return testFiles(sources);
  const isAffected = reaches(sources, (uses) => changed.some((path) => uses.has(path) || mentions(uses, path)));
  return testFiles(sources).filter((path) => changed.includes(path) || isAffected(path));
}

/** The arguments of Bun's runner: parts of paths, and options with their values. */
export function splitArguments(args: readonly string[]): { filters: string[]; options: string[] } {
  const isOption = (arg: string, at: number) => arg.startsWith("-") || TAKES_VALUE.test(args[at - 1] ?? "");
  return {
    filters: args.filter((arg, at) => !isOption(arg, at)),
    options: args.filter(isOption),
  };
}

/** The test files whose path contains one of the filters, or begins with one that begins with `./`; all without one. */
export function chosenTests(filters: readonly string[], sources: Sources): string[] {
  const isChosen = (path: string) =>
    filters.length === 0 ||
    filters.some((part) => (part.startsWith("./") ? path.startsWith(normalize(part)) : path.includes(part)));
  return testFiles(sources).filter(isChosen);
}

const fullOnlySchema = z.array(z.object({ reason: z.string(), files: z.array(z.string()) }));

/** Without the files of tests/full-only.json: slow and rarely failing. Returns a line for each reason, too. */
export async function withoutSlow(tests: readonly string[]): Promise<{ tests: string[]; skipped: string[] }> {
  const groups = fullOnlySchema.parse(await Bun.file(join(ROOT, "tests/full-only.json")).json());
  const slow = new Set(groups.flatMap(({ files }) => files));
  return {
    tests: tests.filter((test) => !slow.has(test)),
    skipped: groups.map(({ reason, files }) => `skipped  ${files.length} files, in npm run test:full only: ${reason}`),
  };
}

/** What to say when no test file is chosen. */
export function nothingChosen(filters: readonly string[], sources: Sources): string {
  const paths = [...new Set(testFiles(sources).flatMap((path) => [path, dirname(path)]))];
  const guesses = filters.map((filter) => didYouMean(paths, filter)).join("");
  return `bellhop: no test file matches ${filters.join(" or ")}.${guesses}`;
}

/** Whether one of these test files opens the console. */
export function opensConsole(tests: readonly string[], sources: Sources): boolean {
  return tests.some(reaches(sources, (uses) => uses.has("console/main.tsx")));
}

export function testFiles(sources: Sources): string[] {
  return [...sources.keys()].filter((path) => path.endsWith(".test.ts"));
}

export async function readSources(): Promise<Sources> {
  const files = [...new Glob(`${FOLDERS}/**/*`).scanSync({ cwd: ROOT, dot: true }), ...new Glob("*").scanSync(ROOT)];
  const paths = files.filter((path) => /\.tsx?$/u.test(path));
  const known = new Set(files);
  const folders = new Set([...known].map((path) => dirname(path)).filter((path) => path.includes("/")));
  const transpilers = { ts: new Transpiler({ loader: "ts" }), tsx: new Transpiler({ loader: "tsx" }) };
  const read = async (path: string): Promise<[string, ReadonlySet<string>]> => {
    const text = await Bun.file(join(ROOT, path)).text();
    const imported = transpilers[path.endsWith("x") ? "tsx" : "ts"].scanImports(text).map((each) => each.path);
    const named = [...text.matchAll(LITERAL)].flatMap(([, literal = ""]) => [literal, `./${literal}`]);
    const uses = [...imported, ...named].flatMap((use) => {
      const target = use.startsWith(".") ? normalize(join(dirname(path), use)) : use;
      return known.has(target) || folders.has(target) || target.includes("*") ? target : [];
    });
    return [path, new Set(OPENS_CONSOLE.test(text) ? [...uses, "console/main.tsx", "console/**/*"] : uses)];
  };
  return new Map(await Promise.all(paths.map(read)));
}

/** Whether a directory or a glob among the uses contains the file. */
function mentions(uses: ReadonlySet<string>, path: string): boolean {
  return [...uses].some((use) => (use.includes("*") ? new Glob(use).match(path) : path.startsWith(`${use}/`)));
}

/** Whether a file, or one that it uses through others, meets the condition. */
function reaches(sources: Sources, meets: (uses: ReadonlySet<string>) => boolean): (path: string) => boolean {
  const usedBy = new Map<string, string[]>();
  for (const [path, uses] of sources) for (const use of uses) usedBy.set(use, [...(usedBy.get(use) ?? []), path]);
  const found = new Set([...sources].flatMap(([path, uses]) => (meets(uses) ? [path] : [])));
  for (const path of found) for (const user of usedBy.get(path) ?? []) found.add(user);
  return (path) => found.has(path);
}

async function git(...args: string[]): Promise<string[]> {
  const child = Bun.spawn(["git", "-c", "core.quotePath=false", ...args], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${err.trim()}`);
  return out.split("\n").filter((line) => line !== "");
}

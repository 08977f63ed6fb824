import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MATRIX_FILE_VARIABLE, type MatrixEntry } from "./matrix-columns.ts";
import { installPeers } from "./install-peers.ts";
import { ROOT } from "./paths.ts";
import { describeMatrix } from "./print-matrix.ts";

/**
 * `npm test`: every test, with its real peers; `-- <path>` runs a part, `--full` adds what is slow and rarely breaks.
 * Ends with the matrix of connection types, the runner's own summary and the line `N passed, N failed`.
 */
const args = process.argv.slice(2);
const full = args.includes("--full");
const paths = args.filter((arg) => arg !== "--full");

await installPeers();

const scratch = await mkdtemp(join(tmpdir(), "bellhop-test-"));
const matrixFile = join(scratch, "matrix");

const child = Bun.spawn(
  [process.execPath, "test", "--parallel=2", "--timeout", "60000", ...(paths.length > 0 ? paths : ["./tests"])],
  {
    cwd: ROOT,
    env: { ...process.env, [MATRIX_FILE_VARIABLE]: matrixFile, ...(full ? { BELLHOP_TEST_FULL: "1" } : {}) },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe",
  },
);

const decoder = new TextDecoder();
let tail = "";
for await (const chunk of child.stderr) {
  process.stderr.write(chunk);
  tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4_000);
}
const exitCode = await child.exited;
const cells = await printMatrix();
await rm(scratch, { recursive: true, force: true });
// A part of the tests has a part of the matrix; all of them have all of it.
const incomplete = cells.wrong > 0 || (paths.length === 0 && cells.missing > 0);
const code = exitCode === 0 && incomplete ? 1 : exitCode;
const passed = countOf("pass");
const failed = countOf("fail");
const skipped = countOf("skip");
if (code !== 0 && failed === 0) console.log(`The runner ended with code ${code}: see above.`);
console.log(
  `${passed} passed, ${Math.max(failed, code === 0 ? 0 : 1)} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
);
process.exit(code);

async function printMatrix(): Promise<{ missing: number; wrong: number }> {
  const lines = (await readFile(matrixFile, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  if (lines.length === 0 && paths.length > 0) return { missing: 0, wrong: 0 };
  const entries = lines.flatMap((line) => entryOf(line) ?? []);
  const { text, missing, wrong } = describeMatrix(entries);
  console.log(`\n${text}\n`);
  return { missing, wrong: wrong + lines.length - entries.length };
}

/** Null for the half line of a run that was killed. */
function entryOf(line: string): MatrixEntry | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** Bun's summary has a line ` 12 pass`. */
function countOf(word: string): number {
  return Number([...tail.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gmu"))].at(-1)?.[1] ?? 0);
}

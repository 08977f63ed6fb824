import { installPeers } from "./install-peers.ts";
import { ROOT } from "./paths.ts";

/**
 * `npm test`: every test, with its real peers; `-- <path>` runs a part, `--full` adds what is slow and rarely breaks.
 * Ends with the runner's own summary and the line `N passed, N failed`.
 */
const args = process.argv.slice(2);
const full = args.includes("--full");
const paths = args.filter((arg) => arg !== "--full");

await installPeers();

const child = Bun.spawn([process.execPath, "test", "--timeout", "60000", ...(paths.length > 0 ? paths : ["./tests"])], {
  cwd: ROOT,
  env: { ...process.env, ...(full ? { BELLHOP_TEST_FULL: "1" } : {}) },
  stdin: "ignore",
  stdout: "inherit",
  stderr: "pipe",
});

const decoder = new TextDecoder();
let tail = "";
for await (const chunk of child.stderr) {
  process.stderr.write(chunk);
  tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4_000);
}
const code = await child.exited;
const passed = countOf("pass");
const failed = countOf("fail");
const skipped = countOf("skip");
if (code !== 0 && failed === 0) console.log(`The runner ended with code ${code}: see above.`);
console.log(
  `${passed} passed, ${Math.max(failed, code === 0 ? 0 : 1)} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
);
process.exit(code);

/** Bun's summary has a line ` 12 pass`. */
function countOf(word: string): number {
  return Number([...tail.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, "gmu"))].at(-1)?.[1] ?? 0);
}

// Installs missing packages on a plain Node 20, then hands over to Bun. Usage: node scripts/bootstrap.mjs <script below
// scripts/> [arguments]
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFile = join(root, "node_modules/.installed-lock");
const bunFile = join(root, "node_modules/bun/bin/bun.exe");
/**
 * A terminal's Ctrl-C reaches this process twice: directly and through npm. For the service a second one means
 * "immediately".
 */
const SAME_INTERRUPT_MS = 1_000;
const [script, ...args] = process.argv.slice(2);

if (script === undefined) fail("usage: node scripts/bootstrap.mjs <script> [arguments]");
installPackages();
placeBun();
handOver();

function installPackages() {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === lock) return;
  console.error("Installing packages …");
  run("npm", ["ci", "--loglevel=error", "--no-audit", "--no-fund"], "the packages could not be installed");
  writeFileSync(stampFile, lock);
}

// Packages run no install scripts here (.npmrc). Bun's own, which links its binary into place, is the exception.
function placeBun() {
  const works = () => spawnSync(bunFile, ["--version"], { stdio: "ignore" }).status === 0;
  if (works()) return;
  run(process.execPath, [join(root, "node_modules/bun/install.js")], "Bun could not be put in place");
  if (!works()) fail("Bun does not start on this machine. Remove node_modules and try again.");
}

function handOver() {
  // Ctrl-C reaches a terminal's whole process group. workerd would end before the agent has said goodbye. So a
  // long-running script gets its own group, and its signals from here.
  const detached = script === "start.ts";
  const child = spawn(bunFile, [join(root, "scripts", script), ...args], { stdio: "inherit", detached });
  let lastInterruptMs = -Infinity;
  process.on("SIGINT", () => {
    const isRepeated = performance.now() - lastInterruptMs < SAME_INTERRUPT_MS;
    lastInterruptMs = performance.now();
    if (detached && !isRepeated) child.kill("SIGINT");
  });
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  // npm forwards signals to its child only. For "start" the child is this process (`exec` in package.json); a shell in
  // between would keep SIGINT to itself. A killed parent forwards nothing.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 500).unref();
  child.on("error", (error) => fail(`Bun could not be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}

function run(command, argv, whatFailed) {
  // The child's output goes to standard error: standard output belongs to the script.
  const { status } = spawnSync(command, argv, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) fail(`${whatFailed}: see above.`);
}

function fail(message) {
  console.error(`bellhop: ${message}`);
  process.exit(1);
}

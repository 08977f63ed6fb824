// The first thing that every npm script runs: it refuses a Node that is too old, then hand-over.mjs goes on.
// Old versions must be able to read this file: no syntax and no imports that are newer than Node 12.
import { readFileSync } from "fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const neededMajor = parseInt(engines.node.slice(">=".length), 10);
if (parseInt(process.versions.node, 10) < neededMajor) {
  console.error(
    `bellhop: this is Node ${process.versions.node}, and Bellhop needs Node ${neededMajor} or newer: install one (https://nodejs.org), then repeat the command.`,
  );
  process.exit(1);
}
import("./hand-over.mjs");

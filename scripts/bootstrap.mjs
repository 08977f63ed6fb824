// Every npm script starts here: a Node that is too old is refused, then hand-over.mjs takes over. Old Node versions
// must be able to read this file: no syntax and no imports newer than Node 12.
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

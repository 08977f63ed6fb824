import { slotChannels } from "../../agent/isolation/job-slots.ts";
import { programsHere } from "../../agent/programs/here.ts";
import { HostedPrograms } from "../../agent/programs/hosted.ts";
import type { Programs } from "../../agent/programs/program.ts";

/**
 * Runs as the agent's account on a machine with the agent's units, and prints one object: the times from the call of
 * `start` to the program's first byte of output, in ms, for both ways.
 */
async function main(socketDirectory: string, stateDirectory: string): Promise<void> {
  const hosted = new HostedPrograms(slotChannels(socketDirectory));
  const ways = { own: programsHere(stateDirectory), unit: hosted };
  await hosted.prepare();
  for (const programs of Object.values(ways)) await startOne(programs);

  const paced = { own: new Array<number>(), unit: new Array<number>() };
  const backToBack = { own: new Array<number>(), unit: new Array<number>() };
  for (let round = 0; round < ROUNDS; round += 1) {
    // Alternating, so that the machine's other work affects both.
    for (const way of ["own", "unit"] as const) {
      await Bun.sleep(PAUSE_MS);
      paced[way].push(await startOne(ways[way]));
    }
  }
  for (const way of ["own", "unit"] as const) {
    for (let round = 0; round < ROUNDS; round += 1) backToBack[way].push(await startOne(ways[way]));
  }
  await hosted.stop();
  console.log(JSON.stringify({ paced, backToBack }));
}

const ROUNDS = 40;
/** A process for the next job is ready long before that. */
const PAUSE_MS = 400;
const ORDER = { argv: ["/bin/sh"], script: { fileName: "script.sh", text: "echo" }, env: { PATH: "/usr/bin:/bin" } };

async function startOne(programs: Programs): Promise<number> {
  const startedAt = performance.now();
  const program = await programs.start({ ...ORDER, mark: crypto.randomUUID() });
  const { value } = await program.stdout.getReader().read();
  const ms = performance.now() - startedAt;
  if (value === undefined || value.length === 0) throw new Error("a job wrote nothing");
  await program.exited;
  await program.end("everything");
  await program.close();
  return ms;
}

const [sockets = "", directory = ""] = process.argv.slice(2);
void main(sockets, directory).then(() => process.exit(0));

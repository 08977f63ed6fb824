/**
 * `npm run bench -- webhook|agent|bundle|engine|abuse|dispatch|console|connections|retention|storm [--json]`. For the engine also
 * `--rows N`: the number of stored executions, a million by default; for retention that of old ones; for connections `--requests N`: 20,000 a round by default, and
 * `--disk`: other processes use the disk too. Figures are ratios within one run; a benchmark does not pass or fail.
 * `npm run -s` omits npm's own two lines, so that standard output is only the object of --json.
 */
const [what, ...flags] = process.argv.slice(2);
const json = flags.includes("--json");
const usage = `usage: npm run bench -- <name> [--json]
  webhook      accepting webhooks and starting their executions, against a bare route
  engine       executions from start to finish, and lists beside many stored ones; --rows N stored executions (1,000,000; at least 2,000)
  dispatch     from a webhook to the command on the agent, and queues of many jobs and agents
  connections  lost connections while other processes use every core; --requests N a round (20,000), --disk for the disk, too
  retention    webhooks while old executions are deleted; --rows N of them (170,000, with a million rows; at least 2,000)
  agent        the agent's start, memory and download
  bundle       the size of the Worker
  console      how soon a page of the console is visible, its JavaScript, the designer with 10 and 200 nodes, and the live list
  storm        many incidents at once that join one run; --events N (10,000)
  abuse        what wrong keys, secrets and sign-ins cost
On our libSQL server, and in figures relative to the same run. For --json alone on standard output: npm run -s bench -- webhook --json`;

switch (what) {
  case "webhook": {
    const { benchWebhook, describeWebhook } = await import("./webhook.ts");
    report(await benchWebhook(), describeWebhook);
    break;
  }
  case "agent": {
    const { benchAgent, describeAgent } = await import("./agent/index.ts");
    report(await benchAgent(), describeAgent);
    break;
  }
  case "bundle": {
    const { benchBundle, describeBundle } = await import("./bundle/index.ts");
    report(await benchBundle(), describeBundle);
    break;
  }
  case "engine": {
    const { benchEngine, STORED_ROWS } = await import("./engine/index.ts");
    const { describeEngine } = await import("./engine/describe.ts");
    report(await benchEngine(countOf(flags, "--rows", 2_000) ?? STORED_ROWS, console.error), describeEngine);
    break;
  }
  case "abuse": {
    const { benchAbuse, describeAbuse } = await import("./abuse/index.ts");
    report(await benchAbuse(), describeAbuse);
    break;
  }
  case "dispatch": {
    const { benchDispatch } = await import("./dispatch/index.ts");
    const { describeDispatch } = await import("./dispatch/describe.ts");
    report(await benchDispatch(console.error), describeDispatch);
    break;
  }
  case "console": {
    const { benchConsole, describeConsole } = await import("./console/index.ts");
    report(await benchConsole(), describeConsole);
    break;
  }
  case "connections": {
    const { benchConnections, describeConnections, REQUESTS } = await import("./connections/index.ts");
    const requests = countOf(flags, "--requests", 1) ?? REQUESTS;
    const load = flags.includes("--disk") ? "cpu and disk" : "cpu";
    report(await benchConnections({ requests, load }, console.error), describeConnections);
    break;
  }
  case "retention": {
    const { benchRetention, describeRetention, OLD_EXECUTIONS } = await import("./retention/index.ts");
    const rows = countOf(flags, "--rows", 2_000) ?? OLD_EXECUTIONS;
    report(await benchRetention(rows, console.error), describeRetention);
    break;
  }
  case "storm": {
    const { benchStorm, describeStorm, STORM_EVENTS } = await import("./storm/index.ts");
    report(await benchStorm(countOf(flags, "--events", 1) ?? STORM_EVENTS, console.error), describeStorm);
    break;
  }
  case "--help":
    console.log(usage);
    break;
  default:
    console.error(usage);
    process.exit(1);
}
process.exit(0);

/** With --json exactly one object on standard output; otherwise text. */
function report<T>(result: T, describe: (result: T) => string): void {
  console.log(json ? JSON.stringify(result) : describe(result));
}

/** The number after a flag; null without it. Ends the process for a number below the least. */
function countOf(given: readonly string[], flag: string, least: number): number | null {
  const index = given.indexOf(flag);
  if (index < 0) return null;
  const count = Number(given[index + 1]);
  if (Number.isSafeInteger(count) && count >= least) return count;
  console.error(usage);
  process.exit(1);
}
export {};

/** `npm run bench -- webhook|agent [--json]`. Figures are ratios within one run; nothing here passes or fails. */
const [what, ...flags] = process.argv.slice(2);
const json = flags.includes("--json");

switch (what) {
  case "webhook": {
    const { benchWebhook, describeWebhook } = await import("./webhook.ts");
    report(await benchWebhook(), describeWebhook);
    break;
  }
  case "agent": {
    const { benchAgent, describeAgent } = await import("./agent.ts");
    report(await benchAgent(), describeAgent);
    break;
  }
  default:
    console.error("usage: npm run bench -- webhook|agent [--json]");
    process.exit(1);
}
process.exit(0);

/** With --json exactly one object on standard output; otherwise words. */
function report<T>(result: T, describe: (result: T) => string): void {
  console.log(json ? JSON.stringify(result) : describe(result));
}
export {};

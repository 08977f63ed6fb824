import { join } from "node:path";
import { CONNECTIONS } from "../schema/contract/connections/index.ts";
import type { ConnectionDescriptor } from "../schema/contract/connections/descriptor.ts";
import { AGENT_SETTINGS } from "../schema/settings/agent.ts";
import { SERVICE_SETTINGS } from "../schema/settings/service.ts";
import type { Setting } from "../schema/settings/setting.ts";
import { ROOT } from "./paths.ts";

/** The parts of pages that derive from the code, each between the lines `<!-- derived: name -->` and `<!-- end -->`. */
const PARTS: readonly { page: string; name: string; write: () => string }[] = [
  { page: "docs/connections/README.md", name: "connection types", write: connectionTypes },
  { page: "docs/deploy.md", name: "settings of the service", write: serviceSettings },
  { page: "docs/install-agent.md", name: "settings of the agent", write: agentSettings },
];

/** The parts that differ from the code. With `fix` they are written instead. */
export async function checkDerivedPages(fix: boolean): Promise<string[]> {
  const problems: string[] = [];
  for (const { page, name, write } of PARTS) {
    const file = join(ROOT, page);
    const text = await Bun.file(file).text();
    const [begin, end] = [`<!-- derived: ${name} -->\n`, "<!-- end -->\n"];
    const at = text.indexOf(begin) + begin.length;
    const until = text.indexOf(end, at);
    if (at < begin.length || until < 0) problems.push(`${page} has no part "${name}" between its two marks`);
    else if (text.slice(at, until) !== write()) {
      if (fix) await Bun.write(file, text.slice(0, at) + write() + text.slice(until));
      else problems.push(`${page}: the part "${name}" differs from the code. Run npm run derive.`);
    }
  }
  return problems;
}

function connectionTypes(): string {
  const all: Readonly<Record<string, ConnectionDescriptor>> = CONNECTIONS;
  const rows = Object.entries(all).map(
    ([type, { label, does, actions }]) =>
      `| [${type}](${type}.md) | ${label} | ${does} | ${Object.keys(actions)
        .map((action) => `\`${action}\``)
        .join(", ")} |`,
  );
  return ["| type | name | what it does | actions |", "|---|---|---|---|", ...rows, ""].join("\n");
}

function serviceSettings(): string {
  const all: Readonly<Record<string, Omit<Setting<unknown>, "parse">>> = SERVICE_SETTINGS;
  const rows = Object.entries(all).map(
    ([name, { kind, note, help }]) => `| \`${name}\` | ${[kind, note ?? []].flat().join(", ")} | ${help} |`,
  );
  return ["| name | kind | what it is |", "|---|---|---|", ...rows, ""].join("\n");
}

/** Proxies have a second spelling in lower case. */
function agentSettings(): string {
  const shown = Object.entries(AGENT_SETTINGS).filter(([name]) => name === name.toUpperCase());
  const rows = shown.map(([name, { help }]) => `| \`${name}\` | ${help} |`);
  return ["| variable | what it sets |", "|---|---|", ...rows, ""].join("\n");
}

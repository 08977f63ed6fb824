import { AGENT_SETTINGS } from "../../schema/settings/agent.ts";
import { namesOf } from "../../schema/settings/setting.ts";

const HEAD = `# The configuration of the Bellhop agent that runs as a service; bellhop-agent --help lists every variable.
# Keep it closed to other users. One NAME=value a line, without quotes.
`;
const SECRETS = new Set<string>(namesOf(AGENT_SETTINGS, "secret"));

/** An env file with these values set. Comments, order and other variables stay; new names are added at the end. */
export function mergedEnvText(existing: string, wanted: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(wanted));
  const lines = (existing === "" ? HEAD : existing).replace(/\r?\n$/u, "").split(/\r?\n/u);
  const merged = lines.map((line) => {
    const name = /^\s*([A-Za-z_]\w*)=/u.exec(line)?.[1];
    const value = name === undefined ? undefined : left.get(name);
    if (name === undefined || value === undefined) return line;
    left.delete(name);
    // The same value may be written with other spaces.
    return line.slice(line.indexOf("=") + 1).trim() === value ? line : `${name}=${value}`;
  });
  return `${[...merged, ...[...left].map(([name, value]) => `${name}=${value}`)].join("\n")}\n`;
}

/** The file without the line that holds the agent's key. */
export function withoutKey(existing: string): string {
  return existing.replaceAll(/^\s*AGENT_API_KEY=.*\r?\n?/gmu, "");
}

/** The same without its secrets. */
export function shownEnvText(text: string): string {
  return text.replaceAll(/^\s*([A-Za-z_]\w*)=(.*)$/gmu, (line, name: string) =>
    SECRETS.has(name) ? `${name}=***` : line,
  );
}

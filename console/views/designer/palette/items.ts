import { ACTIONS, isActionName } from "../../../../schema/contract/action.ts";
import type { ActionName } from "../../../../schema/contract/action.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { kebab } from "../model/ids.ts";
import type { NodeKind } from "../model/new-node.ts";

export interface PaletteItem {
  kind: NodeKind;
  label: string;
  /** What it does, in a few words. */
  hint: string;
}

export interface PaletteGroup {
  label: string;
  items: readonly PaletteItem[];
}

const FLOW: readonly PaletteItem[] = [
  { kind: { type: "condition" }, label: "Condition", hint: "goes on by true or by false" },
  { kind: { type: "forEach" }, label: "For each", hint: "does its body for each member of a list" },
  { kind: { type: "approval" }, label: "Approval", hint: "waits until somebody approves or rejects" },
  { kind: { type: "delay" }, label: "Delay", hint: "waits a while" },
  { kind: { type: "workflow" }, label: "Sub-workflow", hint: "runs another workflow" },
  { kind: { type: "errorHandler" }, label: "Error handler", hint: "takes over after a failure" },
];

const TYPE_LABELS: Partial<Record<ConnectionType, string>> = {
  script: "Scripts on an agent",
  ssh: "SSH",
  http: "HTTP",
  kubernetes: "Kubernetes",
  osService: "Services of the operating system",
  database: "Database",
  winrm: "Windows (WinRM)",
  chat: "Chat (Slack)",
  teamchat: "Team chat (Teams)",
  email: "Email",
  ticketing: "Tickets (Jira)",
  notification: "Notification",
};

const ACTION_LABELS: Partial<Record<ActionName, string>> = {
  "script.bash": "Bash script",
  "script.powershell": "PowerShell script",
  "script.python": "Python script",
  "http.request": "HTTP request",
  "os.restartOS": "Restart the machine",
};

/** Everything that can be put on the canvas: what steers, then the actions of each connection type. */
export const PALETTE: readonly PaletteGroup[] = [{ label: "Flow", items: FLOW }, ...actionGroups()];

/** The groups with what a search finds in them, each of its words anywhere. */
export function searchPalette(text: string): PaletteGroup[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return PALETTE.flatMap(({ label, items }) => {
    const found = items.filter((item) => {
      const name = item.kind.type === "action" ? item.kind.action : item.kind.type;
      const all = `${label} ${item.label} ${item.hint} ${name}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
    return found.length === 0 ? [] : [{ label, items: found }];
  });
}

function actionGroups(): PaletteGroup[] {
  const names = Object.keys(ACTIONS).filter(isActionName);
  const byType = Map.groupBy(names, (action) => ACTIONS[action].connectionType);
  const order = Object.keys(TYPE_LABELS);
  return [...byType]
    .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))
    .map(([type, actions]) => ({
      label: TYPE_LABELS[type] ?? type,
      items: actions.map((action) => ({
        kind: { type: "action" as const, action },
        label: ACTION_LABELS[action] ?? labelOf(action),
        hint: action,
      })),
    }));
}

function labelOf(action: ActionName): string {
  const words = kebab(action.split(".")[1] ?? action).replaceAll("-", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

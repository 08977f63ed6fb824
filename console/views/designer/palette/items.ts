import { ACTIONS, actionsOn } from "../../../../schema/contract/action.ts";
import { CONNECTION_TYPES, descriptorOf } from "../../../../schema/contract/connection.ts";
import type { NodeKind } from "../../../graph/node-look.tsx";

export interface PaletteItem {
  kind: NodeKind;
  label: string;
  /** A short description. */
  hint: string;
}

export interface PaletteGroup {
  label: string;
  /** Text that the search also covers. */
  does: string;
  items: readonly PaletteItem[];
}

const FLOW: readonly PaletteItem[] = [
  { kind: { type: "condition" }, label: "Condition", hint: "continues with true or false" },
  { kind: { type: "forEach" }, label: "For each", hint: "runs its steps for each item of a list" },
  { kind: { type: "approval" }, label: "Approval", hint: "waits until a person approves or rejects" },
  { kind: { type: "delay" }, label: "Delay", hint: "waits for a set time" },
  { kind: { type: "workflow" }, label: "Sub-workflow", hint: "runs another workflow" },
  { kind: { type: "errorHandler" }, label: "Error handler", hint: "takes over after a failure" },
];

/** Everything that can be added to the canvas: flow control, then the actions of each connection type. */
export const PALETTE: readonly PaletteGroup[] = [{ label: "Flow", does: "", items: FLOW }, ...actionGroups()];

/** The groups with the items that contain every word of the search. */
export function searchPalette(text: string): PaletteGroup[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return PALETTE.flatMap(({ label, does, items }) => {
    const found = items.filter((item) => {
      const name = item.kind.type === "action" ? item.kind.action : item.kind.type;
      const all = `${label} ${does} ${item.label} ${item.hint} ${name}`.toLowerCase();
      return words.every((word) => all.includes(word));
    });
    return found.length === 0 ? [] : [{ label, does, items: found }];
  });
}

function actionGroups(): PaletteGroup[] {
  return CONNECTION_TYPES.map((type) => {
    const { label, does } = descriptorOf(type);
    const items = actionsOn([type]).map((action) => ({
      kind: { type: "action" as const, action },
      label: ACTIONS[action].label,
      hint: action,
    }));
    return { label, does, items };
  }).filter(({ items }) => items.length > 0);
}

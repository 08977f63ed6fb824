import { ACTIONS, actionsOn } from "../../../../schema/contract/action.ts";
import { CONNECTION_TYPES, descriptorOf } from "../../../../schema/contract/connection.ts";
import type { NodeKind } from "../../../graph/node-look.tsx";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.palette;

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
  { kind: { type: "condition" }, ...text.steps.condition },
  { kind: { type: "forEach" }, ...text.steps.forEach },
  { kind: { type: "approval" }, ...text.steps.approval },
  { kind: { type: "delay" }, ...text.steps.delay },
  { kind: { type: "workflow" }, ...text.steps.workflow },
  { kind: { type: "errorHandler" }, ...text.steps.errorHandler },
];

/** Everything that can be added to the canvas: flow control, then the actions of each connection type. */
export const PALETTE: readonly PaletteGroup[] = [{ label: text.flow, does: "", items: FLOW }, ...actionGroups()];

/** The groups with the items that contain every word of the search. */
export function searchPalette(search: string): PaletteGroup[] {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
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

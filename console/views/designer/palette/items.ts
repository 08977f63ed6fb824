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

/**
 * The groups with the items that contain every word of the search, also in the text of their group. Enter takes the
 * first item, so those that contain the words themselves come first: "python" is Python, not another type of script.
 */
export function searchPalette(search: string): PaletteGroup[] {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const ownRank = (item: PaletteItem | undefined) => (item !== undefined && matches(ownText(item)) ? 0 : 1);
  return PALETTE.map(({ label, does, items }) => ({
    label,
    does,
    items: items
      .filter((item) => matches(`${label} ${does} ${ownText(item)}`))
      .toSorted((a, b) => ownRank(a) - ownRank(b)),
  }))
    .filter(({ items }) => items.length > 0)
    .toSorted((a, b) => ownRank(a.items[0]) - ownRank(b.items[0]));
}

function ownText({ kind, label, hint }: PaletteItem): string {
  return `${label} ${hint} ${kind.type === "action" ? kind.action : kind.type}`;
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

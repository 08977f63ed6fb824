import { containerOf, findNode, nodesOf } from "./model/graph-edit.ts";
import { neighbour } from "./model/neighbours.ts";
import type { Direction } from "./model/neighbours.ts";
import { TRIGGER_ID } from "./model/trigger.ts";
import { NOTHING } from "./selection.ts";
import type { useDesignerState } from "./use-designer-state.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { designer as text } from "../../strings/en/designer.ts";

/** The distance by which a key moves a node. */
const NUDGE_PX = 16;

interface Around {
  /** False while a dialog is open. */
  enabled: boolean;
  save: () => void;
  help: () => void;
  edit: () => void;
  fit: () => void;
  /** Opens the menu of the selection next to a node. */
  menu: (id: string) => void;
}

/** Binds every shortcut to its command. */
export function useDesignerKeys(designer: ReturnType<typeof useDesignerState>, around: Around) {
  const { state, boxes, glide, copy, paste } = designer;
  const { draft, run, selection, select, show, say, openPalette, openConnect, readOnly } = state;
  const { definition } = draft;
  const [current = TRIGGER_ID] = selection.nodes.slice(-1);
  const node = findNode(definition, current);

  const go = (direction: Direction) => {
    const next = selection.nodes.length === 0 ? TRIGGER_ID : neighbour(definition, boxes, current, direction);
    if (next !== null) show(next);
  };
  const nudge = (direction: Direction) => {
    const x = direction === "left" ? -NUDGE_PX : direction === "right" ? NUDGE_PX : 0;
    const y = direction === "up" ? -NUDGE_PX : direction === "down" ? NUDGE_PX : 0;
    const places = selection.nodes.flatMap((id) => {
      const box = boxes.get(id);
      return box === undefined ? [] : [[id, { x: box.x + x, y: box.y + y }]];
    });
    if (places.length > 0) run({ do: "place", places: Object.fromEntries(places) });
  };
  const arrange = () => {
    run({ do: "arrange" });
    glide();
    requestAnimationFrame(around.fit);
  };
  useShortcuts(
    {
      save: around.save,
      undo: state.undo,
      redo: state.redo,
      help: around.help,
      go,
      nudge,
      edit: around.edit,
      add: () => {
        if (!readOnly) openPalette();
      },
      addInside: () => {
        if (readOnly) return;
        const into = node?.type === "forEach" ? node.id : containerOf(definition, current);
        if (into === null || into === undefined) say(text.commands.selectForEach);
        else openPalette({ into });
      },
      connect: () => {
        if (readOnly) return;
        if (node === undefined) say(text.commands.selectFirst);
        else openConnect(node.id);
      },
      remove: state.removeSelected,
      duplicate: state.duplicateSelected,
      selectAll: () => select({ nodes: nodesOf(definition).map(({ id }) => id), edges: [] }),
      selectNothing: () => select(NOTHING),
      arrange,
      fit: around.fit,
      menu: () => {
        if (node !== undefined) around.menu(node.id);
      },
      copy,
      cut: (transfer) => {
        if (readOnly || !copy(transfer)) return false;
        state.removeSelected();
        return true;
      },
      paste,
    },
    around.enabled,
  );
  return { arrange };
}

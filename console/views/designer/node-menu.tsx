import { Menu, Text } from "@mantine/core";
import {
  IconCopy,
  IconCopyPlus,
  IconLink,
  IconPencil,
  IconPlus,
  IconRowInsertBottom,
  IconTrash,
} from "@tabler/icons-react";
import { findNode } from "./model/graph-edit.ts";
import { useDesigner } from "./designer-context.ts";

export interface ScreenPoint {
  x: number;
  y: number;
}

/** The commands on the selected steps as a menu at a point of the screen. */
export function NodeMenu(props: { at: ScreenPoint | null; onClose: () => void; onEdit: () => void }) {
  const { at, onClose, onEdit } = props;
  const { draft, selection, readOnly, openPalette, openConnect, copySelected, duplicateSelected, removeSelected } =
    useDesigner();
  const [id = "", ...others] = selection.nodes;
  const node = others.length === 0 ? findNode(draft.definition, id) : undefined;
  const items = [
    ...(node === undefined
      ? []
      : [{ label: readOnly ? "Show" : "Edit", keys: "Enter", icon: IconPencil, run: onEdit }]),
    ...(node === undefined || readOnly
      ? []
      : [
          { label: "Add a step after", keys: "A", icon: IconPlus, run: () => openPalette() },
          ...(node.type === "forEach"
            ? [
                {
                  label: "Add a step inside",
                  keys: "Shift A",
                  icon: IconRowInsertBottom,
                  run: () => openPalette({ into: node.id }),
                },
              ]
            : []),
          { label: "Connect", keys: "C", icon: IconLink, run: () => openConnect(node.id) },
        ]),
    { label: "Copy", keys: "Ctrl C", icon: IconCopy, run: copySelected },
    ...(readOnly
      ? []
      : [
          { label: "Duplicate", keys: "Ctrl D", icon: IconCopyPlus, run: duplicateSelected },
          { label: "Delete", keys: "Delete", icon: IconTrash, run: removeSelected },
        ]),
  ];
  return (
    <Menu
      opened={at !== null}
      onClose={onClose}
      position="bottom-start"
      offset={0}
      width={220}
      returnFocus
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <div aria-hidden style={{ position: "fixed", left: at?.x ?? 0, top: at?.y ?? 0 }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={others.length === 0 ? "Commands for the step" : "Commands for the selected steps"}>
        {items.map(({ label, keys, icon: Icon, run }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={
              <Text size="xs" c="dimmed" aria-hidden>
                {keys}
              </Text>
            }
            onClick={run}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

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
import { common } from "../../strings/en/common.ts";
import { designer } from "../../strings/en/designer.ts";

const { menu: text, keys } = designer;

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
      : [{ label: readOnly ? text.show : common.edit, keys: keys.edit, icon: IconPencil, run: onEdit }]),
    ...(node === undefined || readOnly
      ? []
      : [
          { label: text.addAfter, keys: keys.add, icon: IconPlus, run: () => openPalette() },
          ...(node.type === "forEach"
            ? [
                {
                  label: text.addInside,
                  keys: keys.addInside,
                  icon: IconRowInsertBottom,
                  run: () => openPalette({ into: node.id }),
                },
              ]
            : []),
          { label: text.connect, keys: keys.connect, icon: IconLink, run: () => openConnect(node.id) },
        ]),
    { label: common.copy, keys: keys.copy, icon: IconCopy, run: copySelected },
    ...(readOnly
      ? []
      : [
          { label: text.duplicate, keys: keys.duplicate, icon: IconCopyPlus, run: duplicateSelected },
          { label: common.delete, keys: keys.delete, icon: IconTrash, run: removeSelected },
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
      <Menu.Dropdown aria-label={others.length === 0 ? text.step : text.steps}>
        {items.map(({ label, keys: shown, icon: Icon, run }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={
              <Text size="xs" c="dimmed" aria-hidden>
                {shown}
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

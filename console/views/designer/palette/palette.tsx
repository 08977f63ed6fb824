import { Group, ScrollArea, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useCallbackRef } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { memo, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { NodeIcon } from "../../../graph/node-look.tsx";
import type { NodeKind } from "../../../graph/node-look.tsx";
import { writeKind } from "./dragged-kind.ts";
import { searchPalette } from "./items.ts";
import { designer } from "../../../strings/en/designer.ts";
import classes from "./palette.module.css";

const text = designer.palette;

interface PaletteProps {
  onTake: (kind: NodeKind) => void;
  autoFocus?: boolean;
  height?: string | number;
  /** Beside the search. */
  foldButton?: ReactNode;
}

/** The nodes that can be added to the canvas, with a search. Click, Enter or drag an item to add it. */
export function Palette({ onTake, autoFocus = false, height = "100%", foldButton }: PaletteProps) {
  const [search, setSearch] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const groups = searchPalette(search);
  const take = useCallbackRef((kind: NodeKind) => {
    setSearch("");
    onTake(kind);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>("button[data-kind]") ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const [first] = groups;
    if (event.key === "Enter" && at === -1 && search !== "" && first?.items[0] !== undefined) {
      event.preventDefault();
      take(first.items[0].kind);
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(buttons.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)))]?.focus();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={classes["palette"]} style={{ height }} onKeyDown={onKeyDown}>
      <Group gap={4} wrap="nowrap">
        <TextInput
          size="sm"
          flex={1}
          data-autofocus={autoFocus || undefined}
          aria-label={text.search}
          placeholder={text.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {foldButton}
      </Group>
      <ScrollArea className={classes["list"] ?? ""} type="auto" viewportRef={list}>
        <Items search={search} take={take} />
        {groups.length === 0 ? (
          <Text size="sm" c="dimmed" p="sm">
            {text.none(search)}
          </Text>
        ) : null}
      </ScrollArea>
    </div>
  );
}

/** A key in a step's form renders the designer, but not these many items. */
const Items = memo(function Items({ search, take }: { search: string; take: (kind: NodeKind) => void }) {
  return (
    <>
      {searchPalette(search).map(({ label, items }) => (
        <section key={label} aria-label={label}>
          <Text className={classes["group"] ?? ""}>{label}</Text>
          {items.map(({ kind, label, hint }) => (
            <UnstyledButton
              key={kind.type === "action" ? kind.action : kind.type}
              className={classes["item"] ?? ""}
              data-kind={kind.type === "action" ? kind.action : kind.type}
              draggable
              onDragStart={(event) => writeKind(event.dataTransfer, kind)}
              onClick={() => take(kind)}
            >
              <NodeIcon node={kind} size={26} />
              <span className={classes["text"]}>
                <span className={classes["label"]}>{label}</span>
                <span className={classes["hint"]}>{hint}</span>
              </span>
            </UnstyledButton>
          ))}
        </section>
      ))}
    </>
  );
});

import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import type { Direction } from "./model/neighbours.ts";

/** The commands of the designer's keys. */
export interface Commands {
  save: () => void;
  undo: () => void;
  redo: () => void;
  help: () => void;
  go: (direction: Direction) => void;
  nudge: (direction: Direction) => void;
  edit: () => void;
  add: () => void;
  addInside: () => void;
  connect: () => void;
  remove: () => void;
  duplicate: () => void;
  selectAll: () => void;
  selectNothing: () => void;
  arrange: () => void;
  fit: () => void;
  menu: () => void;
  copy: (transfer: DataTransfer) => boolean;
  cut: (transfer: DataTransfer) => boolean;
  paste: (text: string) => void;
}

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

/** Listens for the keys in `designer.shortcuts` of the catalogue. Letters work only on the canvas, never in a text field. */
export function useShortcuts(commands: Commands, enabled: boolean): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      const command = commandOf(event);
      if (command === null) return;
      event.preventDefault();
      if (isTyping(event.target)) commitField(event.target);
      command(latest.current);
    };
    const onClipboard = (event: ClipboardEvent) => {
      const { clipboardData: transfer } = event;
      // The target is where the last selected text was, so the focus counts. With selected text the browser copies it.
      if (transfer === null || !isOnCanvas(document.activeElement) || getSelection()?.isCollapsed === false) return;
      const { copy, cut, paste } = latest.current;
      if (event.type === "paste") {
        event.preventDefault();
        paste(transfer.getData("text/plain"));
      } else if ((event.type === "cut" ? cut : copy)(transfer)) event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    for (const type of ["copy", "cut", "paste"] as const) addEventListener(type, onClipboard);
    return () => {
      removeEventListener("keydown", onKeyDown);
      for (const type of ["copy", "cut", "paste"] as const) removeEventListener(type, onClipboard);
    };
  }, [enabled]);
}

function commandOf(event: KeyboardEvent): ((commands: Commands) => void) | null {
  const { key, shiftKey, target } = event;
  const typing = isTyping(target);
  if (event.ctrlKey || event.metaKey) {
    switch (key.toLowerCase()) {
      case "s":
        return (commands) => commands.save();
      case "z":
        // In a field the browser undoes the typing.
        return typing ? null : (commands) => (shiftKey ? commands.redo() : commands.undo());
      case "y":
        return typing ? null : (commands) => commands.redo();
      case "d":
        return isOnCanvas(target) ? (commands) => commands.duplicate() : null;
      case "a":
        return isOnCanvas(target) ? (commands) => commands.selectAll() : null;
      default:
        return null;
    }
  }
  if (event.altKey || typing) return null;
  if (key === "?") return (commands) => commands.help();
  if (!isOnCanvas(target)) return null;
  if (key === "ContextMenu" || (shiftKey && key === "F10")) return (commands) => commands.menu();
  const direction = DIRECTIONS[key];
  if (direction !== undefined) return (commands) => (shiftKey ? commands.nudge(direction) : commands.go(direction));
  switch (key) {
    case "Enter":
    case " ":
      return (commands) => commands.edit();
    case "Delete":
    case "Backspace":
      return (commands) => commands.remove();
    case "Escape":
      return (commands) => commands.selectNothing();
    case "a":
      return (commands) => commands.add();
    case "A":
      return (commands) => commands.addInside();
    case "c":
      return (commands) => commands.connect();
    case "l":
      return (commands) => commands.arrange();
    case "f":
      return (commands) => commands.fit();
    default:
      return null;
  }
}

/** Commits fields that take their value only on blur, such as an id or the YAML, before a command such as save. */
function commitField(field: HTMLElement): void {
  flushSync(() => field.blur());
  if (field.isConnected) field.focus({ preventScroll: true });
}

function isTyping(target: EventTarget | null): target is HTMLElement {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [contenteditable=true]") !== null)
  );
}

/** Whether the target is the canvas, a node, or an element around the canvas (the default focus), but not a button. */
function isOnCanvas(target: EventTarget | null): boolean {
  if (target === document) return true;
  if (!(target instanceof Element) || isTyping(target)) return false;
  return (
    target.querySelector(".react-flow") !== null ||
    (target.closest(".react-flow") !== null && target.closest("button, a") === null)
  );
}

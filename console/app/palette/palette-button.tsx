import { Button, Kbd } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Suspense, lazy, useState } from "react";
import { palette as text } from "../../strings/en/palette.ts";

const load = () => import("./palette.tsx");
const Palette = lazy(load);
/** On a Mac, Ctrl+K deletes to the end of a line. */
const IS_MAC = /^mac/iu.test(navigator.platform);
const MODIFIER = IS_MAC ? "Meta" : "Control";

/** Opens the palette, as Ctrl+K does on every page (Cmd+K on a Mac). */
export function PaletteButton() {
  const [opened, setOpened] = useState(false);
  useWindowEvent("keydown", (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
    // Loaded before the K: what is typed next goes into its field.
    if (key === MODIFIER) void load();
    if (key.toLowerCase() !== "k" || !(IS_MAC ? metaKey : ctrlKey) || shiftKey || altKey || defaultPrevented) return;
    event.preventDefault();
    // A dialog may have a form with typed text, which a change of page would lose.
    if (document.querySelector("[aria-modal=true]") === null) setOpened(true);
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          <Kbd size="xs" visibleFrom="sm" aria-hidden>
            {text.shortcut(IS_MAC)}
          </Kbd>
        }
        aria-keyshortcuts={`${MODIFIER}+K`}
        aria-haspopup="dialog"
        onPointerEnter={() => void load()}
        onClick={() => setOpened(true)}
      >
        {text.open}
      </Button>
      <Suspense>{opened ? <Palette close={() => setOpened(false)} /> : null}</Suspense>
    </>
  );
}

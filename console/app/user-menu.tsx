import { useState } from "react";
import type { ComponentType } from "react";
import { AccountButton } from "./account-button.tsx";

/** Loaded with the first input (overlays-on-demand.tsx). */
export const loadAccountMenu = () => import("./account-menu.tsx");

/** The menu of the person who is signed in. Its code is not part of the first page. */
export function UserMenu() {
  const [Menu, setMenu] = useState<ComponentType | null>(null);
  if (Menu !== null) return <Menu />;
  const open = async (button: HTMLElement) => {
    try {
      const loaded = await loadAccountMenu();
      // A late menu must not take the focus from where the person went on. Some browsers focus no clicked button.
      const { activeElement } = document;
      if (activeElement === button || activeElement === document.body) setMenu(() => loaded.default);
    } catch {
      // Without a network. The next click tries again.
    }
  };
  return (
    <AccountButton aria-haspopup="menu" aria-expanded={false} onClick={(event) => void open(event.currentTarget)} />
  );
}

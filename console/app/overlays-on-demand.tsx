import { useEffect, useState } from "react";
import type { ComponentType } from "react";
import { whenOverlaysAreNeeded } from "../ui/overlays.ts";
import { loadAccountMenu } from "./user-menu.tsx";

/** The first of them loads what the person may open next, so that it is there also when the network fails later. */
const INPUTS = ["pointermove", "pointerdown", "keydown"] as const;

/** Toasts and questions. Their code is not part of the first page. */
export function OverlaysOnDemand() {
  const [Overlays, setOverlays] = useState<ComponentType<{ onShown: () => void }> | null>(null);
  const [shown] = useState(() => Promise.withResolvers<boolean>());
  useEffect(() => {
    const load = async () => {
      try {
        const loaded = await import("./overlays.tsx");
        setOverlays(() => loaded.default);
        return await shown.promise;
      } catch {
        // Without a network. The next toast or question tries again.
        return false;
      }
    };
    whenOverlaysAreNeeded(load);
    const options = { once: true, passive: true };
    const first = () => {
      void load();
      loadAccountMenu().catch(() => {});
    };
    for (const input of INPUTS) addEventListener(input, first, options);
    return () => INPUTS.forEach((input) => removeEventListener(input, first));
  }, [shown]);
  return Overlays === null ? null : <Overlays onShown={() => shown.resolve(true)} />;
}

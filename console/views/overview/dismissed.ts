import { usePersonal } from "../../app/use-personal.ts";

const KEPT_MAX = 200;

/** The hints that this person has dismissed in this browser. */
export function useDismissed(): { dismissed: ReadonlySet<string>; dismiss: (id: string) => void } {
  const [ids, setIds] = usePersonal("dismissed-hints", readIds);
  return { dismissed: new Set(ids), dismiss: (id) => setIds([...ids, id].slice(-KEPT_MAX)) };
}

function readIds(stored: unknown): string[] {
  return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
}

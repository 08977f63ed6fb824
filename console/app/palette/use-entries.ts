import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useAll } from "../../api/use-all.ts";
import { pause } from "../../strings/en/pause.ts";
import { palette as text } from "../../strings/en/palette.ts";
import { PAUSE_DIALOG, usePause } from "../pause/paused.tsx";
import { useCan, useMe } from "../session.tsx";
import { useLeave } from "../use-leave.ts";
import { agentEntries, connectionEntries, creatingEntries, pageEntries, workflowEntries } from "./entries.ts";
import type { Entry } from "./match.ts";
import { recentPages } from "./recent.ts";

/** The lists are read as on their pages, whose cache they share. */
const PAGES_MAX = 5;

/** What the palette searches. It says which lists are not whole. */
export function useEntries(here: string) {
  const me = useMe();
  const mayRead = useCan("automation:read");
  const mayRun = useCan("automation:execute");
  const options = { enabled: mayRead, pagesMax: PAGES_MAX };
  const workflows = useAll("/api/v1/automation/workflows", { query: { limit: 200 } }, options);
  const connections = useAll("/api/v1/automation/connections", { query: { limit: 100 } }, options);
  const agents = useAll("/api/v1/automation/agents", { query: { limit: 200 } }, options);
  const lists = mayRead
    ? ([
        ["workflows", workflows],
        ["connections", connections],
        ["agents", agents],
      ] as const)
    : [];

  const pages = pageEntries(me.permissions);
  const things = [
    ...workflowEntries(workflows.items ?? [], mayRun),
    ...connectionEntries(connections.items ?? []),
    ...agentEntries(agents.items ?? []),
  ];
  const pausing: Entry = {
    key: "pause",
    label: pause.command,
    group: "action",
    run: { href: `${here}?open=${PAUSE_DIALOG}` },
  };
  const mayPause = usePause() === null && mayRun;
  const actions = [...creatingEntries(me.permissions), ...(mayPause ? [pausing] : []), ...useSettings()];
  const recent = recentPages(me.actor, here).map(({ href, label }): Entry => ({
    key: `recent ${href}`,
    label,
    group: "recent",
    run: { href },
  }));
  return {
    /** Without a typed word. */
    first: [...recent, ...pages, ...actions],
    all: [...pages, ...things, ...actions],
    isReading: lists.some(([, { isPending, isReading, isError }]) => !isError && (isPending || isReading)),
    unread: lists.flatMap(([name, { isError }]) => (isError ? text.lists[name] : [])),
    partial: lists.flatMap(([name, { items, isWhole, isReading, isError }]) =>
      items === undefined || isWhole || isReading || isError ? [] : text[name](items.length),
    ),
  };
}

/** The commands that change what the person sees, and the sign-out. */
function useSettings(): Entry[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  const leave = useLeave();
  return [
    {
      key: "theme",
      label: isDark ? text.actions.toLight : text.actions.toDark,
      group: "action",
      run: () => setColorScheme(isDark ? "light" : "dark"),
    },
    ...(colorScheme === "auto"
      ? []
      : [{ key: "system", label: text.actions.toSystem, group: "action", run: () => setColorScheme("auto") } as const]),
    { key: "sign-out", label: text.actions.signOut, group: "action", run: () => void leave() },
  ];
}

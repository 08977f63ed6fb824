import { Suspense, lazy } from "react";
import { OVERVIEW } from "../../api/overview.ts";
import { useRead } from "../../api/queries.ts";
import { useDialogInUrl } from "../../ui/use-dialog-in-url.ts";
import { useCan } from "../session.tsx";

const PauseBar = lazy(() => import("./pause-bar.tsx"));
const MaintenanceBar = lazy(() => import("./maintenance-bar.tsx"));
const PauseDialog = lazy(() => import("./pause-dialog.tsx"));

/** `?open=` on any page. */
export const PAUSE_DIALOG = "pause";
/** The overview, and the number of approvals in the title, read the same. */
const EVERY_MS = 60_000;

export function usePause() {
  return useOverview()?.paused ?? null;
}

function useOverview() {
  return useRead(OVERVIEW, {}, { everyMs: EVERY_MS, enabled: useCan("automation:read") }).data;
}

/** The bar on every page during a pause, or else in a maintenance window, and the dialog that begins one. */
export function Paused() {
  const overview = useOverview();
  const pause = overview?.paused ?? null;
  const windows = overview?.maintenance;
  const mayPause = useCan("automation:execute");
  const [opened, change] = useDialogInUrl(PAUSE_DIALOG);
  return (
    <Suspense>
      {pause === null ? null : <PauseBar pause={pause} mayResume={mayPause} />}
      {pause === null && windows !== undefined && windows.items.length > 0 ? (
        <MaintenanceBar windows={windows} />
      ) : null}
      {opened && mayPause ? <PauseDialog close={() => change(false)} /> : null}
    </Suspense>
  );
}

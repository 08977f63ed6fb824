import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { useEffect } from "react";

/** Questions (`confirm`) and toasts (`toastSuccess`, `toastFailure`). */
export default function Overlays({ onShown }: { onShown: () => void }) {
  useEffect(onShown, [onShown]);
  return (
    <ModalsProvider>
      <Notifications position="bottom-right" />
    </ModalsProvider>
  );
}

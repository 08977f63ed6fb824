import { Alert } from "@mantine/core";
import { useOnline } from "../api/use-online.ts";

/** Says at once that the device has no network: a page may show an old state. */
export function Offline() {
  return (
    <div role="status">
      {useOnline() ? null : (
        <Alert color="yellow" p="xs" mb="sm">
          You are offline. The page shows what was loaded last, and updates when the network is back.
        </Alert>
      )}
    </div>
  );
}

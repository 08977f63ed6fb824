import { Alert } from "@mantine/core";
import { useOnline } from "../api/use-online.ts";
import { shell } from "../strings/en/shell.ts";

/** Says at once that the device has no network: a page may show an old state. */
export function Offline() {
  return (
    <div role="status">
      {useOnline() ? null : (
        <Alert color="yellow" p="xs" mb="sm">
          {shell.offline}
        </Alert>
      )}
    </div>
  );
}

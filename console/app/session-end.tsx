import { Alert } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import { TimeAgo, useNow } from "../ui/time.tsx";
import { useMe } from "./session.tsx";
import { shell } from "../strings/en/shell.ts";

const REPORTED_BEFORE_MS = 10 * 60_000;

/** Warns that the session ends soon, while there is time to save. */
export function SessionEnd() {
  const { expiresAt } = useMe();
  const now = useNow(15_000);
  if (expiresAt === null || Date.parse(expiresAt) - now > REPORTED_BEFORE_MS) return null;
  return (
    <Alert color="yellow" icon={<IconClock aria-hidden />} mb="md" role="status">
      {shell.sessionEnds(<TimeAgo at={expiresAt} />)}
    </Alert>
  );
}

import { Text } from "@mantine/core";
import type { AgentView } from "../../../../schema/contract/management.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { date, exactTime } from "../../../strings/time.ts";
import { actorLabel } from "../../../ui/actor-label.ts";

const text = credentials.verified;

/** Who compared an agent's key, as the service reports it: a hint, because a hostile service could invent it. */
export function VerifiedHint({ fingerprintVerified }: Pick<AgentView, "fingerprintVerified">) {
  if (fingerprintVerified === undefined) return null;
  const { by, at } = fingerprintVerified;
  return (
    <Text size="xs" c="dimmed">
      {text.by(
        actorLabel(by),
        <time dateTime={at} title={exactTime(at)}>
          {date(at)}
        </time>,
      )}{" "}
      {text.hint}
    </Text>
  );
}

import { Stack, Table, Text } from "@mantine/core";
import { useNow } from "../ui/time.tsx";
import { cron } from "../strings/en/cron.ts";
import { ago, viewersZone, zonedTime } from "../strings/time.ts";
import { nextRuns } from "./cron-next.ts";

const SHOWN = 5;
const text = cron.next;

/** The next times of a schedule, in its time zone and in the browser's. */
export function CronNext({ expression, timezone }: { expression: string; timezone: string | undefined }) {
  const now = useNow(30_000);
  const runs = nextRuns({ expression, timezone }, now, SHOWN);
  if (runs.length === 0) return null;
  const zone = timezone ?? "UTC";
  const viewers = viewersZone();
  const isSame = viewers === zone;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {text.title(SHOWN)}
      </Text>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table verticalSpacing={4} aria-label={text.title(SHOWN)}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{zone}</Table.Th>
              {isSame ? null : <Table.Th>{text.yours(viewers)}</Table.Th>}
              <Table.Th>{text.fromNow}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map((run) => (
              <Table.Tr key={run}>
                <Table.Td>{zonedTime(run, zone, { zone: false })}</Table.Td>
                {isSame ? null : <Table.Td>{zonedTime(run, viewers, { zone: false })}</Table.Td>}
                <Table.Td>{ago(run, now)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

import { Alert, Button, Group, List, Text } from "@mantine/core";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { whatDiffers } from "./what-differs.ts";

interface Props {
  before: ConnectionView;
  theirs: ConnectionView;
  busy: boolean;
  onOverwrite: () => void;
  onTakeTheirs: () => void;
}

/** Shows that another person saved the connection since the form was opened, with the changes and a choice. */
export function EditedByOthers({ before, theirs, busy, onOverwrite, onTakeTheirs }: Props) {
  const differences = whatDiffers(before, theirs);
  return (
    <Alert color="yellow" role="alert" title="Another person has changed this connection" maw={720}>
      <Text size="sm">
        Another person saved it after you opened it, so your changes were not saved. Your input is still here.
      </Text>
      <List size="sm" my="xs">
        {differences.map((difference) => (
          <List.Item key={difference}>{difference}</List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" color="yellow" loading={busy} onClick={onOverwrite}>
          Save mine anyway
        </Button>
        <Button size="xs" variant="default" disabled={busy} onClick={onTakeTheirs}>
          Discard mine and show theirs
        </Button>
      </Group>
    </Alert>
  );
}

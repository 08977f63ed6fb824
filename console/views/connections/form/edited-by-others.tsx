import { Alert, Button, Group, List, Text } from "@mantine/core";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { whatDiffers } from "./what-differs.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";

const text = connectionForms.edited;

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
    <Alert color="yellow" role="alert" title={text.title} maw={720}>
      <Text size="sm">{text.body}</Text>
      <List size="sm" my="xs">
        {differences.map((difference) => (
          <List.Item key={difference}>{difference}</List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" color="yellow" loading={busy} onClick={onOverwrite}>
          {text.overwrite}
        </Button>
        <Button size="xs" variant="default" disabled={busy} onClick={onTakeTheirs}>
          {text.discard}
        </Button>
      </Group>
    </Alert>
  );
}

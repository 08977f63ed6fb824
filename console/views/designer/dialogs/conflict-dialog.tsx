import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { WorkflowView } from "../../../../schema/contract/management.ts";
import { useRead } from "../../../api/queries.ts";
import { ReadState } from "../../../ui/states.tsx";
import { TimeAgo } from "../../../ui/time.tsx";
import type { Draft } from "../model/commands.ts";
import { draftOf } from "../../../../schema/contract/draft.ts";
import { DraftDifference } from "./draft-difference.tsx";

interface ConflictDialogProps {
  opened: boolean;
  workflowId: string;
  mine: Draft;
  onClose: () => void;
  onOverwrite: (theirs: WorkflowView) => void;
  onTake: (theirs: WorkflowView) => void;
}

/** Another person saved the workflow in the meantime. Shows both drafts and asks which one to keep. */
export function ConflictDialog({ opened, ...rest }: ConflictDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Another person saved this workflow" size="xl">
      {opened ? <Choice {...rest} /> : null}
    </Modal>
  );
}

function Choice({ workflowId, mine, onClose, onOverwrite, onTake }: Omit<ConflictDialogProps, "opened">) {
  const read = useRead("/api/v1/automation/workflows/{id}", { path: { id: workflowId } }, { everyMs: 5_000 });
  return (
    <ReadState read={read}>
      {(theirs) => (
        <Stack>
          <Text size="sm">
            It was saved <TimeAgo at={theirs.updatedAt} /> elsewhere. Your draft is not saved, but it is not lost.
          </Text>
          <DraftDifference before={draftOf(theirs)} after={mine} labels={["Saved draft", "Your draft"]} />
          <Alert variant="light" color="yellow" py={6}>
            Overwriting replaces the saved draft with yours. Taking theirs replaces yours here; undo restores it.
          </Alert>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Keep editing
            </Button>
            <Button variant="default" onClick={() => onTake(theirs)}>
              Take theirs
            </Button>
            <Button color="red" onClick={() => onOverwrite(theirs)}>
              Overwrite with mine
            </Button>
          </Group>
        </Stack>
      )}
    </ReadState>
  );
}

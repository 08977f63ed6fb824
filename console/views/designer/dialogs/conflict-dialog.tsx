import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { WorkflowView } from "../../../../schema/contract/management.ts";
import { useRead } from "../../../api/queries.ts";
import { ReadState } from "../../../ui/states.tsx";
import { TimeAgo } from "../../../ui/time.tsx";
import type { Draft } from "../model/commands.ts";
import { draftOf } from "../../../../schema/contract/draft.ts";
import { DraftDifference } from "./draft-difference.tsx";
import { designerSaving } from "../../../strings/en/designer-saving.ts";

const text = designerSaving.conflict;

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
    <Modal opened={opened} onClose={rest.onClose} title={text.title} size="xl">
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
          <Text size="sm">{text.saved(<TimeAgo key="at" at={theirs.updatedAt} />)}</Text>
          <DraftDifference before={draftOf(theirs)} after={mine} labels={text.labels} />
          <Alert variant="light" color="yellow" py={6}>
            {text.effect}
          </Alert>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.keepEditing}
            </Button>
            <Button variant="default" onClick={() => onTake(theirs)}>
              {text.take}
            </Button>
            <Button color="red" onClick={() => onOverwrite(theirs)}>
              {text.overwrite}
            </Button>
          </Group>
        </Stack>
      )}
    </ReadState>
  );
}

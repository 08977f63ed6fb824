import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useNow } from "../../../ui/time.tsx";
import { ago } from "../../../strings/time.ts";
import type { Draft } from "../model/commands.ts";
import type { Kept } from "../save/kept.ts";
import { DraftDifference } from "./draft-difference.tsx";

interface RestoreDialogProps {
  offer: Kept | null;
  current: Draft;
  currentRevision: number;
  onRestore: (kept: Kept) => void;
  onDiscard: () => void;
}

/** Offers to restore or discard the changes that this browser kept from an earlier visit. It has no other way out. */
export function RestoreDialog({ offer, current, currentRevision, onRestore, onDiscard }: RestoreDialogProps) {
  const now = useNow(10_000);
  return (
    <Modal
      opened={offer !== null}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="You have unsaved changes"
      size="xl"
    >
      {offer === null ? null : (
        <Stack>
          <Text size="sm">
            Your changes from {ago(offer.at, now)} were not saved.
            {offer.revision !== currentRevision
              ? " You or another person has saved the workflow since. Restoring these changes asks which draft to keep."
              : null}
          </Text>
          {offer.text === undefined ? null : (
            <Text size="sm">
              Your YAML could not be read yet. Restoring brings back the text as you left it, and the draft of the
              canvas.
            </Text>
          )}
          <DraftDifference before={current} after={offer.draft} labels={["Saved draft", "Your changes"]} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onDiscard}>
              Discard
            </Button>
            <Button data-autofocus onClick={() => onRestore(offer)}>
              Restore
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

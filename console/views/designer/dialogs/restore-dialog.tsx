import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { ago, useNow } from "../../../ui/time.tsx";
import type { Draft } from "../model/commands.ts";
import type { Kept } from "../save/kept.ts";
import { DraftDifference } from "./draft-difference.tsx";

interface RestoreDialogProps {
  offer: Kept | null;
  current: Draft;
  currentRevision: number | null;
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
      title="You have changes that were not saved"
      size="xl"
    >
      {offer === null ? null : (
        <Stack>
          <Text size="sm">
            You have changes from {ago(offer.at, now)} that were not saved.
            {offer.revision !== null && currentRevision !== null && offer.revision !== currentRevision
              ? " The workflow was saved since then, by you or by somebody else: saving yours will ask which to keep."
              : null}
          </Text>
          {offer.text === undefined ? null : (
            <Text size="sm">
              The YAML that you wrote could not be read yet. Restoring brings it back as you left it, beside what the
              canvas showed.
            </Text>
          )}
          <DraftDifference before={current} after={offer.draft} labels={["As it is saved", "Your changes"]} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onDiscard}>
              Discard them
            </Button>
            <Button data-autofocus onClick={() => onRestore(offer)}>
              Restore them
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

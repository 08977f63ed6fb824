import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useNow } from "../../../ui/time.tsx";
import { ago } from "../../../strings/time.ts";
import type { Draft } from "../model/commands.ts";
import type { Kept } from "../save/kept.ts";
import { DraftDifference } from "./draft-difference.tsx";
import { designerSaving } from "../../../strings/en/designer-saving.ts";

const text = designerSaving.restore;

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
      title={text.title}
      size="xl"
    >
      {offer === null ? null : (
        <Stack>
          <Text size="sm">
            {text.notSaved(ago(offer.at, now))} {offer.revision === currentRevision ? null : text.savedSince}
          </Text>
          {offer.text === undefined ? null : <Text size="sm">{text.unread}</Text>}
          <DraftDifference before={current} after={offer.draft} labels={text.labels} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onDiscard}>
              {text.discard}
            </Button>
            <Button data-autofocus onClick={() => onRestore(offer)}>
              {text.restore}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

import { Button, Group, List, Modal, Stack, Text } from "@mantine/core";
import type { IntegrationView } from "../../../schema/contract/integration.ts";
import { call } from "../../api/client.ts";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";

/** Deletes an integration after a warning about the effects. */
export function DeleteIntegration({ integration, onClose }: { integration: IntegrationView; onClose: () => void }) {
  const { id, name } = integration;
  const remove = useToastMutation(() => call("DELETE", "/api/v1/automation/integrations/{id}", { path: { id } }), {
    done: () => `${name} is deleted.`,
    failed: `${name} was not deleted`,
    refreshes: ["/api/v1/automation/integrations"],
  });
  return (
    <Modal opened onClose={onClose} title={`Delete ${name}?`} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="sm">
        <Text size="sm">Its key is refused from the next delivery on, for good.</Text>
        <List size="sm" spacing={4}>
          <List.Item>What the tool sends from then on makes no incident, and starts no workflow.</List.Item>
          <List.Item>
            The incidents that it made stay. The open ones are not resolved by the tool any more: somebody has to.
          </List.Item>
        </List>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => void remove.run(undefined).then(onClose)}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

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
    <Modal opened onClose={onClose} title={`Delete ${name}?`}>
      <Stack gap="sm">
        <Text size="sm">Its key stops working immediately. This cannot be undone.</Text>
        <List size="sm" spacing={4}>
          <List.Item>Further events of the tool create no incidents and start no workflows.</List.Item>
          <List.Item>
            Its incidents stay. The tool no longer resolves the open ones: someone must resolve them here.
          </List.Item>
        </List>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep integration
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => void remove.run(undefined).then(onClose)}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

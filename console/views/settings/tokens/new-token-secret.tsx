import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { Copyable, SecretOnce } from "../../../ui/copy.tsx";

/** Shows the secret once. A click outside the dialog or a key does not close it. */
export function NewTokenSecret({ name, secret, close }: { name: string; secret: string; close: () => void }) {
  return (
    <Modal
      opened
      onClose={close}
      title={`The token ${name} is created`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <SecretOnce title="API token" value={secret} />
        <div>
          <Text size="sm" mb={4}>
            Send it as a bearer token. With the token in the variable BELLHOP_TOKEN, this command shows its owner and
            permissions:
          </Text>
          <Copyable
            label="Example"
            value={`curl -H "Authorization: Bearer $BELLHOP_TOKEN" ${location.origin}/api/v1/auth/me`}
          />
        </div>
        <Group justify="flex-end">
          <Button onClick={close}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

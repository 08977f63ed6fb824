import { Kbd, Modal, Table, Text } from "@mantine/core";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.shortcuts;

/** The list of keyboard shortcuts. */
export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.title} size="lg">
      {text.groups.map(({ group, keys }) => (
        <section key={group} aria-label={group}>
          <Text fw={600} mt="sm">
            {group}
          </Text>
          <Table verticalSpacing={4}>
            <Table.Tbody>
              {keys.map(({ keys, hint }) => (
                <Table.Tr key={keys}>
                  <Table.Td w={190}>
                    <Kbd>{keys}</Kbd>
                  </Table.Td>
                  <Table.Td>{hint}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      ))}
      <Text size="sm" c="dimmed" mt="sm">
        {text.mac}
      </Text>
    </Modal>
  );
}

import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFileImport, IconPlus } from "@tabler/icons-react";
import { Link } from "wouter";
import { ImportDialog } from "./import-dialog.tsx";

/** The buttons for a new workflow: an empty one, or an import from a file. */
export function NewWorkflow() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconFileImport size={16} aria-hidden />} onClick={open}>
        Import
      </Button>
      <Button component={Link} href="/workflows/new" leftSection={<IconPlus size={16} aria-hidden />}>
        New workflow
      </Button>
      <ImportDialog opened={opened} onClose={close} />
    </Group>
  );
}

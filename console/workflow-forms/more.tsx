import { Button, Collapse, Stack } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import type { ReactNode } from "react";

/** Folds fields that are seldom needed. It is always open when a field in it has a problem. */
export function More({
  label,
  hasProblem = false,
  children,
}: {
  label: string;
  hasProblem?: boolean;
  children: ReactNode;
}) {
  const [wanted, setWanted] = useState(false);
  const id = useId();
  const open = wanted || hasProblem;
  return (
    <Stack gap="xs">
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        aria-expanded={open}
        aria-controls={id}
        disabled={hasProblem}
        leftSection={open ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />}
        onClick={() => setWanted(!wanted)}
      >
        {label}
      </Button>
      <Collapse id={id} expanded={open} keepMounted>
        <Stack gap="sm">{children}</Stack>
      </Collapse>
    </Stack>
  );
}

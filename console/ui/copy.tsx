import { ActionIcon, Alert, Box, Code, CopyButton, Group, Text, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconKey } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { common } from "../strings/en/common.ts";
import { controls } from "../strings/en/shell.ts";

/** A button that copies and confirms it. */
export function Copy({ value, label = common.copy }: { value: string; label?: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? common.copied : label} withArrow>
          <ActionIcon variant="subtle" color={copied ? "teal" : "gray"} onClick={copy} aria-label={label}>
            {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A text to copy: an id, an address, a command over several lines. */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Box flex={1} miw={0}>
        <Code block tabIndex={0} aria-label={label} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {value}
        </Code>
      </Box>
      <Copy value={value} label={controls.copyOf(label)} />
    </Group>
  );
}

/** A secret that is shown once: no list and no later answer contains it. */
export function SecretOnce({ title, value, children }: { title: string; value: string; children?: ReactNode }) {
  return (
    <Alert color="yellow" icon={<IconKey aria-hidden />} title={title}>
      <Copyable value={value} label={title} />
      <Text size="sm" component="div" mt="xs">
        {children ?? controls.shownOnce}
      </Text>
    </Alert>
  );
}

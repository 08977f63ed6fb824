import { Stack, Tabs, Text } from "@mantine/core";
import { IconBrandWindows, IconTerminal2 } from "@tabler/icons-react";
import { agentSetUp } from "../../strings/en/agent-set-up.ts";
import { Copyable } from "../../ui/copy.tsx";
import { enrolCommand, installCommands, rekeyCommands } from "./install-commands.ts";
import type { InstallSource } from "./use-install-source.ts";

const { commands, platforms: names } = agentSetUp;

/** One command for each platform that the newest release has an executable for. */
export function InstallSteps({ source, code }: { source: InstallSource; code: string }) {
  const { service, manual } = installCommands(source.origin, code);
  return (
    <Platforms
      platforms={source.platforms}
      linux={<Command {...commands.linux} value={service.linux} />}
      windows={<Command {...commands.windows} value={service.windows} />}
      manual={
        <>
          {source.platforms.includes("linux") ? <Command {...commands.manualLinux} value={manual.linux} /> : null}
          {source.platforms.includes("windows") ? <Command {...commands.manualWindows} value={manual.windows} /> : null}
        </>
      }
    />
  );
}

/** The command for a machine that has an executable already. */
export function EnrolStep({ origin, code }: { origin: string; code: string }) {
  return <Command {...commands.enrol} value={enrolCommand(origin, code)} />;
}

/** The command that sets the new key of an installed agent. */
export function RekeySteps({ origin }: { origin: string }) {
  const { linux, windows } = rekeyCommands(origin);
  return (
    <Platforms
      platforms={["linux", "windows"]}
      linux={<Command {...commands.rekeyLinux} value={linux} />}
      windows={<Command {...commands.rekeyWindows} value={windows} />}
    />
  );
}

interface PlatformsProps {
  platforms: InstallSource["platforms"];
  linux: React.ReactNode;
  windows: React.ReactNode;
  manual?: React.ReactNode;
}

function Platforms({ platforms, linux, windows, manual }: PlatformsProps) {
  return (
    <Tabs defaultValue={platforms[0] ?? null} keepMounted={false}>
      <Tabs.List>
        {platforms.includes("linux") ? (
          <Tabs.Tab value="linux" leftSection={<IconTerminal2 size={16} aria-hidden />}>
            {names.linux}
          </Tabs.Tab>
        ) : null}
        {platforms.includes("windows") ? (
          <Tabs.Tab value="windows" leftSection={<IconBrandWindows size={16} aria-hidden />}>
            {names.windows}
          </Tabs.Tab>
        ) : null}
        {manual === undefined ? null : <Tabs.Tab value="manual">{names.manual}</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="linux" pt="sm">
        {linux}
      </Tabs.Panel>
      <Tabs.Panel value="windows" pt="sm">
        {windows}
      </Tabs.Panel>
      {manual === undefined ? null : (
        <Tabs.Panel value="manual" pt="sm">
          <Stack gap="xs">{manual}</Stack>
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

function Command({ label, where, note, value }: { label: string; where: string; note?: string; value: string }) {
  return (
    <Stack gap={4}>
      <Text size="sm">{where}</Text>
      <Copyable label={label} value={value} />
      {note === undefined ? null : (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  );
}

import { Stack, Tabs, Text } from "@mantine/core";
import { IconBrandWindows, IconTerminal2 } from "@tabler/icons-react";
import { Copyable } from "../../ui/copy.tsx";
import { enrolCommand, installCommands, rekeyCommands } from "./install-commands.ts";
import type { InstallSource } from "./use-install-source.ts";

/** One command for each platform that the newest release has an executable for. */
export function InstallSteps({ source, code }: { source: InstallSource; code: string }) {
  const { service, manual } = installCommands(source.origin, code);
  return (
    <Platforms
      platforms={source.platforms}
      linux={
        <Command
          label="Install on Linux"
          value={service.linux}
          more="Runs the agent as a service. On Alpine, first: apk add libstdc++ libgcc. Without systemd the command says what to run."
        >
          Run on the machine:
        </Command>
      }
      windows={
        <Command label="Install on Windows" value={service.windows} more="Runs the agent as a service.">
          Run in PowerShell as administrator:
        </Command>
      }
      manual={
        <>
          {source.platforms.includes("linux") ? (
            <Command label="Run manually on Linux" value={manual.linux}>
              Linux, without root. The agent runs until Ctrl-C:
            </Command>
          ) : null}
          {source.platforms.includes("windows") ? (
            <Command label="Run manually on Windows" value={manual.windows}>
              Windows, in PowerShell, not as administrator. The agent runs until Ctrl-C:
            </Command>
          ) : null}
        </>
      }
    />
  );
}

/** The command for a machine that has an executable already. */
export function EnrolStep({ origin, code }: { origin: string; code: string }) {
  return (
    <Command
      label="Enrol"
      value={enrolCommand(origin, code)}
      more="It writes the key to a file, and says how to start the agent."
    >
      Run beside the executable:
    </Command>
  );
}

/** The command that sets the new key of an installed agent. */
export function RekeySteps({ origin }: { origin: string }) {
  const { linux, windows } = rekeyCommands(origin);
  return (
    <Platforms
      platforms={["linux", "windows"]}
      linux={
        <Command label="Set the new key" value={linux}>
          Run in bash on the agent&apos;s machine. Paste the key when asked; it is not shown:
        </Command>
      }
      windows={
        <Command label="Set the new key on Windows" value={windows}>
          Run in PowerShell as administrator on the agent&apos;s machine. Paste the key when asked:
        </Command>
      }
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
            Linux
          </Tabs.Tab>
        ) : null}
        {platforms.includes("windows") ? (
          <Tabs.Tab value="windows" leftSection={<IconBrandWindows size={16} aria-hidden />}>
            Windows
          </Tabs.Tab>
        ) : null}
        {manual === undefined ? null : <Tabs.Tab value="manual">Run manually</Tabs.Tab>}
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

function Command(props: { label: string; value: string; more?: string; children: React.ReactNode }) {
  const { label, value, more, children } = props;
  return (
    <Stack gap={4}>
      <Text size="sm">{children}</Text>
      <Copyable label={label} value={value} />
      {more === undefined ? null : (
        <Text size="xs" c="dimmed">
          {more}
        </Text>
      )}
    </Stack>
  );
}

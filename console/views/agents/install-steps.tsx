import { Alert, Stack, Tabs, Text } from "@mantine/core";
import { IconBrandWindows, IconTerminal2 } from "@tabler/icons-react";

import { ApiProblem } from "../../api/problem.ts";
import { Copyable } from "../../ui/copy.tsx";
import { useInstallScript } from "./use-install-script.ts";
import { addressProblem, installCommands, originOfScript } from "./install-commands.ts";

/** The commands to paste on the machine, with this deployment's URL. `rekey`: the agent is already installed there. */
export function InstallSteps({ rekey = false }: { rekey?: boolean }) {
  const script = useInstallScript();
  const origin = originOfScript(script.data ?? "") ?? location.origin;
  const { linux, windows } = installCommands(origin);
  const problem = addressProblem(origin);
  const unpublished = script.error instanceof ApiProblem && script.error.status === 404 ? script.error.message : null;
  return (
    <Stack gap="xs">
      {problem === null ? null : (
        <Alert color="yellow" title={origin}>
          {problem}
        </Alert>
      )}
      {unpublished === null || rekey ? null : (
        <Alert color="yellow" title="No agent is published here yet">
          {unpublished}
        </Alert>
      )}
      <Tabs defaultValue="linux" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="linux" leftSection={<IconTerminal2 size={16} aria-hidden />}>
            Linux
          </Tabs.Tab>
          <Tabs.Tab value="windows" leftSection={<IconBrandWindows size={16} aria-hidden />}>
            Windows
          </Tabs.Tab>
          <Tabs.Tab value="hand">Run manually</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="linux" pt="sm">
          {rekey ? (
            <Steps
              steps={[
                [
                  "Run in bash on the agent's machine. Paste the key when asked; it is not shown:",
                  "Set the new key",
                  linux.rekey,
                ],
              ]}
            />
          ) : (
            <Steps
              steps={[
                ["1. Install the executable. Its checksum is verified first:", "Install on Linux", linux.install],
                [
                  "2. Run the agent as a service. The command asks for the key and waits until the agent is registered:",
                  "Run as a service on Linux",
                  linux.service,
                ],
              ]}
              more="On Alpine, first: apk add libstdc++ libgcc. Without systemd the second command says what to run instead."
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="windows" pt="sm">
          {rekey ? (
            <Steps
              steps={[
                [
                  "Run in PowerShell as administrator on the agent's machine. Paste the key when asked:",
                  "Set the new key on Windows",
                  windows.rekey,
                ],
              ]}
            />
          ) : (
            <Steps
              steps={[
                ["1. In PowerShell as administrator, install the executable:", "Install on Windows", windows.install],
                [
                  "2. Run the agent as a service. The command asks for the key:",
                  "Run as a service on Windows",
                  windows.service,
                ],
              ]}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="hand" pt="sm">
          <Steps
            steps={[
              ["Linux, in bash, without root; it runs until Ctrl-C:", "Run manually on Linux", linux.byHand],
              [
                "Windows, in PowerShell, not as administrator; it runs until Ctrl-C:",
                "Run manually on Windows",
                windows.byHand,
              ],
            ]}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Steps({
  steps,
  more,
}: {
  steps: readonly (readonly [text: string, label: string, command: string])[];
  more?: string;
}) {
  return (
    <Stack gap="xs">
      {steps.map(([text, label, command]) => (
        <Stack key={label} gap={4}>
          <Text size="sm">{text}</Text>
          <Copyable label={label} value={command} />
        </Stack>
      ))}
      {more === undefined ? null : (
        <Text size="xs" c="dimmed">
          {more}
        </Text>
      )}
    </Stack>
  );
}

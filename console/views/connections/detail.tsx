import { Alert, Badge, Grid, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Suspense, lazy } from "react";
import { useRead } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { LoadingState, ReadState } from "../../ui/states.tsx";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { Configuration } from "./configuration.tsx";
import { labelsOf } from "./form/field-labels.ts";
import { DetailActions } from "./detail-actions.tsx";
import { Enabled } from "./list-rows.tsx";
import { Panel } from "../../ui/panel.tsx";
import { TestPanel } from "./test/test-panel.tsx";
import { useConnectionTest } from "./test/use-test.ts";
import { TypeIcon } from "../../ui/type-icon.tsx";
import { descriptorOf } from "../../../schema/contract/connection.ts";
import { useAgents } from "./use-agents.ts";
import { UsableByPanel } from "./usable-by/usable-by-panel.tsx";
import { UsedBy } from "./used-by.tsx";
import { common } from "../../strings/en/common.ts";
import { connections as text } from "../../strings/en/connections.ts";

/** The panel includes the contract's schemas, which the rest of the page does not need. */
const CredentialPanel = lazy(() => import("./credential/credential-panel.tsx"));

const PATH = "/api/v1/automation/connections/{id}";
const REFRESH_MS = 5_000;
const ABOVE = [{ label: common.connections, href: "/connections" }];

/** A connection: its configuration, its credential on each agent, its test, and the workflows that use it. */
export default function ConnectionDetail({ params: { id = "" } }: { params: Record<string, string | undefined> }) {
  const read = useRead(PATH, { path: { id } }, { everyMs: REFRESH_MS });
  if (read.data === undefined) {
    return (
      <Page title={common.connection} above={ABOVE}>
        <ReadState read={read}>{() => null}</ReadState>
      </Page>
    );
  }
  const connection = read.data;
  return (
    <Page
      title={connection.name}
      above={ABOVE}
      beside={
        <>
          <Badge variant="default" radius="sm" tt="none" leftSection={<TypeIcon type={connection.type} size={14} />}>
            {descriptorOf(connection.type).label}
          </Badge>
          <Enabled enabled={connection.enabled} />
        </>
      }
      description={descriptorOf(connection.type).does}
      actions={<DetailActions connection={connection} />}
      help={`connections/${connection.type}`}
    >
      <ReadState read={read}>{() => <Panels connection={connection} />}</ReadState>
    </Page>
  );
}

function Panels({ connection }: { connection: ConnectionView }) {
  const agents = useAgents();
  const test = useConnectionTest(connection.id);
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title={text.detail.configuration}>
          {connection.warnings?.map(({ path, message }) => (
            <Alert key={path} color="yellow" icon={<IconAlertTriangle aria-hidden />} p="xs">
              {text.detail.mistake(labelsOf(connection.type, path.replace(/^config\./u, "")).label, message)}
            </Alert>
          ))}
          <Configuration connection={connection} agents={agents} />
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title={common.test}>
          <TestPanel connection={connection} agents={agents} test={test} />
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title={text.credential}>
          <Suspense fallback={<LoadingState />}>
            <CredentialPanel connection={connection} agents={agents} />
          </Suspense>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title={text.usedBy}>
          <UsedBy connectionId={connection.id} />
          {connection.enabled ? null : (
            <Text size="sm" mt="sm">
              {text.detail.disabled}
            </Text>
          )}
        </Panel>
      </Grid.Col>
      {connection.type === "notification" ? null : (
        <Grid.Col span={{ base: 12, md: 6 }}>
          <UsableByPanel connection={connection} />
        </Grid.Col>
      )}
    </Grid>
  );
}

import { Anchor, Badge, Group, Select, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { ACTIONS, runsOn } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import { descriptorOf } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { ConnectionView } from "../../schema/contract/management.ts";
import { messageOf } from "../api/problem.ts";
import { useAll } from "../api/use-all.ts";
import { useCan } from "../app/session.tsx";
import { actionForms } from "../strings/en/action-forms.ts";
import { common } from "../strings/en/common.ts";

const text = actionForms.connection;
const CONNECTIONS = { query: { limit: 200 } };

interface ConnectionSelectProps {
  label: string;
  description: string | null;
  fits: (type: ConnectionType) => boolean;
  /** The type that the link to create a connection names. */
  of: ConnectionType;
  value: string | undefined;
  required: boolean;
  error: string | null;
  readOnly: boolean;
  onChange: (id: string | undefined) => void;
}

/** All connections; every field of a form shares one read. */
export function useConnections() {
  return useAll("/api/v1/automation/connections", CONNECTIONS);
}

/** Selects a connection by name, and shows what prevents its use. */
export function ConnectionSelect(props: ConnectionSelectProps) {
  const { label, fits, of, value, required, error, readOnly, onChange } = props;
  const connections = useConnections();
  const type = descriptorOf(of).label;
  const mayCreate = useCan("connections:write");
  const fitting = (connections.items ?? []).filter(({ type }) => fits(type));
  const chosen = connections.items?.find(({ id }) => id === value);
  const byId = new Map(fitting.map((connection) => [connection.id, connection]));
  const data = fitting.map(({ id, name }) => ({ value: id, label: name }));
  // Shows the chosen connection also when it does not fit or was deleted.
  if (value !== undefined && !byId.has(value)) {
    const known = chosen === undefined ? (connections.isPending ? common.loading : text.unknown) : chosen.name;
    data.unshift({ value, label: known });
  }
  const own = connections.error === null ? null : text.notLoaded(messageOf(connections.error));
  return (
    <Stack gap={4}>
      <Select
        label={label}
        description={props.description}
        placeholder={fitting.length === 0 && !connections.isPending ? text.none(type) : text.choose}
        data={data}
        value={value ?? null}
        onChange={(next) => onChange(next ?? undefined)}
        searchable
        clearable={!required}
        allowDeselect={false}
        withAsterisk={required}
        required={required}
        readOnly={readOnly}
        error={error ?? own}
        limit={100}
        nothingFoundMessage={text.noMatch}
        renderOption={({ option }) => {
          const connection = byId.get(option.value);
          return (
            <Group gap="xs" justify="space-between" flex={1} wrap="nowrap">
              <Text size="sm">{option.label}</Text>
              {connection === undefined ? null : <Obstacles connection={connection} />}
            </Group>
          );
        }}
        comboboxProps={{ withinPortal: true }}
      />
      {chosen === undefined ? null : (
        <Group gap="xs">
          <Obstacles connection={chosen} />
          <Anchor component={Link} href={`/connections/${chosen.id}`} size="xs">
            {text.open(chosen.name)}
          </Anchor>
        </Group>
      )}
      {mayCreate && !readOnly && value === undefined ? (
        <Anchor component={Link} href={`/connections/new?type=${of}`} size="xs" w="fit-content" target="_blank">
          {text.create(type)}
        </Anchor>
      ) : null}
    </Stack>
  );
}

/** The connection of an action when only one fits it. A connection that cannot be used now does not fit. */
export function useOnlyConnection(): (action: ActionName) => string | undefined {
  const { items, isWhole } = useConnections();
  return (action) => {
    if (!isWhole || ACTIONS[action].connectionType === "notification") return undefined;
    const fitting = (items ?? []).filter(
      ({ type, enabled, agentId, poolId }) => runsOn(action, type) && enabled && (agentId ?? poolId) !== null,
    );
    return fitting.length === 1 ? fitting[0]?.id : undefined;
  };
}

function Obstacles({ connection }: { connection: ConnectionView }) {
  const labels = obstaclesOf(connection);
  if (labels.length === 0) return null;
  return (
    <Group gap={4}>
      {labels.map((label) => (
        <Badge key={label} size="sm" radius="sm" variant="light" color="yellow" tt="none">
          {label}
        </Badge>
      ))}
    </Group>
  );
}

function obstaclesOf({ enabled, credentialStatus, agentId, poolId, type }: ConnectionView): string[] {
  return [
    ...(enabled ? [] : [text.disabled]),
    ...(credentialStatus === null || credentialStatus === "delivered" ? [] : [text.credential[credentialStatus]]),
    ...(agentId === null && poolId === null && type !== "notification" ? [text.noAgent] : []),
  ];
}

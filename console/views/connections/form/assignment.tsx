import { Alert, Anchor, Autocomplete, Radio, Select, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { useAll } from "../../../api/use-all.ts";
import { messageOf } from "../../../api/problem.ts";
import { useAgents } from "../use-agents.ts";
import { descriptorOf } from "../../../../schema/contract/connection.ts";
import type { FormValues } from "./form-values.ts";

interface Props {
  type: ConnectionType;
  values: FormValues;
  errorOf: (path: string) => string | null;
  onChange: (changes: Partial<FormValues>) => void;
  onLeave: (path: string) => void;
}

/** Where a connection's jobs run: on one agent, or on the healthiest agent of a pool. */
export function Assignment({ type, values, errorOf, onChange, onLeave }: Props) {
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Runs on"
        value={values.runsOn}
        onChange={(runsOn) => onChange({ runsOn: runsOn === "agent" || runsOn === "pool" ? runsOn : "none" })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="agent" label="One agent" />
          <Radio
            value="pool"
            label="A pool of agents"
            description={
              type === "osService"
                ? "Each job goes to the healthiest agent, and runs on that agent's host."
                : "Each job goes to the healthiest agent that has the credential."
            }
          />
          <Radio
            value="none"
            label="Not assigned"
            description="The connection is saved, but workflows cannot use it."
          />
        </Stack>
      </Radio.Group>
      {values.runsOn === "agent" ? (
        <AgentChoice type={type} values={values} errorOf={errorOf} onChange={onChange} onLeave={onLeave} />
      ) : null}
      {values.runsOn === "pool" ? (
        <PoolChoice values={values} errorOf={errorOf} onChange={onChange} onLeave={onLeave} />
      ) : null}
    </Stack>
  );
}

function AgentChoice({ type, values, errorOf, onChange, onLeave }: Props) {
  const agents = useAgents();
  const chosen = values.agentId === null ? undefined : agents.byId.get(values.agentId);
  const isGone = values.agentId !== null && chosen === undefined && agents.isComplete;
  const capabilities = chosen?.registration?.capabilities;
  return (
    <>
      <Select
        label="Agent"
        placeholder="Choose an agent"
        withAsterisk
        searchable
        nothingFoundMessage="No matching agent."
        data={agents.list.map(({ id, name, status, enabled }) => ({
          value: id,
          label: `${name} (${enabled ? status : "disabled"})`,
        }))}
        value={values.agentId}
        error={isGone ? "This agent was deleted. Choose another one." : errorOf("agentId")}
        onChange={(agentId) => onChange({ agentId })}
        onBlur={() => onLeave("agentId")}
      />
      {agents.error === null ? null : (
        <Text size="sm" c="red" role="alert">
          The agents could not be read: {messageOf(agents.error)}
        </Text>
      )}
      {agents.isComplete && agents.list.length === 0 ? (
        <Text size="sm">
          No agents yet.{" "}
          <Anchor component={Link} href="/agents">
            Create the first one
          </Anchor>
          , or save this connection without an agent.
        </Text>
      ) : null}
      {capabilities !== undefined && !capabilities.includes(type) ? (
        <Alert color="yellow" variant="light">
          This agent does not support {descriptorOf(type).label} connections. Update it, or choose another one.
        </Alert>
      ) : null}
    </>
  );
}

function PoolChoice({ values, errorOf, onChange, onLeave }: Omit<Props, "type">) {
  const pools = useAll("/api/v1/automation/pools", { query: { limit: 200 } });
  const known = pools.items ?? [];
  const name = values.poolId.trim();
  const count = known.find(({ id }) => id === name)?.agentCount ?? 0;
  const isKnowable = pools.isWhole && name !== "" && errorOf("poolId") === null;
  return (
    <>
      <Autocomplete
        label="Pool"
        description="Choose a pool, or enter the name of a new one."
        withAsterisk
        data={known.map(({ id }) => id)}
        value={values.poolId}
        error={errorOf("poolId")}
        onChange={(poolId) => onChange({ poolId })}
        onBlur={() => onLeave("poolId")}
        autoComplete="off"
      />
      {isKnowable ? (
        <Text size="sm" c="dimmed" aria-live="polite">
          {count === 0
            ? "This pool has no agents yet. Jobs wait until an agent joins it."
            : `${count} ${count === 1 ? "agent belongs" : "agents belong"} to this pool.`}
        </Text>
      ) : null}
    </>
  );
}

import { Alert, Anchor, Autocomplete, Radio, Select, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import { useAll } from "../../../api/use-all.ts";
import { messageOf } from "../../../api/problem.ts";
import { useAgents } from "../use-agents.ts";
import { descriptorOf } from "../../../../schema/contract/connection.ts";
import type { FormValues } from "./form-values.ts";
import { common } from "../../../strings/en/common.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";

const text = connectionForms.where;

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
        label={text.label}
        value={values.runsOn}
        onChange={(runsOn) => onChange({ runsOn: runsOn === "agent" || runsOn === "pool" ? runsOn : "none" })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="agent" label={text.agent} />
          <Radio
            value="pool"
            label={text.pool}
            description={type === "osService" ? text.poolOnHost : text.poolWithCredential}
          />
          <Radio value="none" label={text.none} description={text.noneHelp} />
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
        label={common.agent}
        placeholder={text.chooseAgent}
        withAsterisk
        searchable
        nothingFoundMessage={text.noMatch}
        data={agents.list.map(({ id, name, status, enabled }) => ({
          value: id,
          label: text.agentOption(name, enabled ? status : text.disabled),
        }))}
        value={values.agentId}
        error={isGone ? text.agentGone : errorOf("agentId")}
        onChange={(agentId) => onChange({ agentId })}
        onBlur={() => onLeave("agentId")}
      />
      {agents.error === null ? null : (
        <Text size="sm" c="red" role="alert">
          {text.agentsUnread(messageOf(agents.error))}
        </Text>
      )}
      {agents.isComplete && agents.list.length === 0 ? (
        <Text size="sm">
          {text.noAgents(
            <Anchor component={Link} href="/agents">
              {text.createAgent}
            </Anchor>,
          )}
        </Text>
      ) : null}
      {capabilities !== undefined && !capabilities.includes(type) ? (
        <Alert color="yellow" variant="light">
          {text.unsupported(descriptorOf(type).label)}
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
        label={common.pool}
        description={text.poolHelp}
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
          {count === 0 ? text.emptyPool : text.poolSize(count)}
        </Text>
      ) : null}
    </>
  );
}

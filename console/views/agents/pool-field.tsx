import { Autocomplete, Text } from "@mantine/core";
import { useAll } from "../../api/use-all.ts";

import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";

const text = agents.poolField;

interface PoolFieldProps {
  value: string;
  onChange: (value: string) => void;
  error?: string | null;
}

/** An existing pool, or the id of a new pool whose first member is this agent. */
export function PoolField({ value, onChange, error }: PoolFieldProps) {
  const pools = useAll("/api/v1/automation/pools", { query: { limit: 200 } });
  const ids = pools.items?.map(({ id }) => id) ?? [];
  const isNew = value.trim() !== "" && pools.isWhole && !ids.includes(value.trim());
  return (
    <Autocomplete
      label={common.pool}
      description={text.description}
      placeholder={text.example}
      data={ids}
      limit={50}
      maxLength={63}
      value={value}
      onChange={onChange}
      error={error}
      rightSectionWidth={isNew ? 84 : undefined}
      rightSection={isNew ? <Text size="xs">{text.isNew}</Text> : undefined}
    />
  );
}

import { labelsOf } from "./form/field-labels.ts";
import { Code, Group } from "@mantine/core";
import { Fragment } from "react";
import type { ReactNode } from "react";
import { ChangeHistory } from "../../ui/change-history.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { meaningful } from "./form/applies.ts";
import type { Agents } from "./use-agents.ts";
import { Where } from "./where.tsx";
import { common } from "../../strings/en/common.ts";
import { connections as text } from "../../strings/en/connections.ts";

type Fact = readonly [name: string, value: ReactNode];

/** A connection's configuration as the service shows it: without secrets, and with secret addresses masked. */
export function Configuration({ connection, agents }: { connection: ConnectionView; agents: Agents }) {
  const { id, createdAt, updatedAt } = connection;
  const facts: Fact[] = [
    ...configured(connection),
    [text.runsOn, <Where key="where" connection={connection} agents={agents} />],
    [
      common.id,
      <Group key="id" gap={4} wrap="nowrap">
        <Code>{id}</Code>
        <Copy value={id} label={common.copyId} />
      </Group>,
    ],
    [common.created, <TimeInFull key="created" at={createdAt} />],
    [
      common.changed,
      <Fragment key="changed">
        <TimeInFull at={updatedAt} />
        <ChangeHistory id={id} />
      </Fragment>,
    ],
  ];
  return <Facts facts={facts} />;
}

function configured({ type, config }: ConnectionView): Fact[] {
  if (type !== "custom") {
    return meaningful(type, config).map(([name, value]) => {
      const { label, choices } = labelsOf(type, name);
      return [label, choiceOf(choices, value) ?? shown(value)];
    });
  }
  const fields = Object.entries(objectOf(config["fields"]));
  if (fields.length === 0) return [[text.detail.fields, common.none]];
  return fields.map(([name, value]) => [text.detail.field(name), shown(value)]);
}

function choiceOf(
  choices: Readonly<Record<string, { label: string }>> | undefined,
  value: JsonValue,
): string | undefined {
  return typeof value === "string" ? choices?.[value]?.label : undefined;
}

function shown(value: JsonValue): ReactNode {
  if (Array.isArray(value) && value.every((entry) => typeof entry === "string")) {
    return <span style={{ whiteSpace: "pre-line", overflowWrap: "anywhere" }}>{value.join("\n")}</span>;
  }
  if (typeof value === "boolean") return value ? text.detail.yes : text.detail.no;
  return typeof value === "string" ? value : JSON.stringify(value);
}

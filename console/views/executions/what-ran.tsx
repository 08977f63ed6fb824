import { Stack, Text } from "@mantine/core";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import type { Node } from "../../../schema/contract/workflow.ts";
import { useRead } from "../../api/queries.ts";
import { ReadState } from "../../ui/states.tsx";
import { LongText } from "./long-text.tsx";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import classes from "./executions.module.css";

/** What the agent got, with templates filled in, each parameter beside its definition. */
export function WhatRan({ jobId, node }: { jobId: string; node: Node | null }) {
  const read = useRead("/api/v1/automation/jobs/{id}/parameters", { path: { id: jobId } });
  const written = node?.type === "action" ? node.params : {};
  const named = { ...objectOf(written["env"]), ...objectOf(written["parameters"]) };
  return (
    <ReadState read={read}>
      {({ params, values, truncated }) => (
        <Stack gap="sm">
          {Object.entries(params).map(([name, ran]) => (
            <Compared key={name} name={name} written={written[name]} ran={ran} />
          ))}
          {Object.entries(values).map(([name, ran]) => (
            <Compared key={`value ${name}`} name={name} written={named[name]} ran={ran} />
          ))}
          {Object.keys(params).length + Object.keys(values).length > 0 ? null : (
            <Text size="sm" c="dimmed">
              {text.whatRan.nothing}
            </Text>
          )}
          {truncated ? (
            <Text size="xs" c="dimmed">
              {text.whatRan.cut}
            </Text>
          ) : null}
        </Stack>
      )}
    </ReadState>
  );
}

/** One parameter with its rendered value, and with its definition if that differs. */
function Compared({ name, written, ran }: { name: string; written: JsonValue | undefined; ran: JsonValue }) {
  const isSame = written === undefined || textOf(written) === textOf(ran);
  return (
    <div>
      <Text size="xs" fw={600}>
        {name}
      </Text>
      <div className={classes["compared"]}>
        <LongText label={text.whatRan.ran(name)} text={textOf(ran)} />
        {isSame ? null : (
          <div>
            <LongText label={text.whatRan.defined(name)} text={textOf(written)} />
            <Text size="xs" c="dimmed">
              {text.whatRan.definition}
            </Text>
          </div>
        )}
      </div>
    </div>
  );
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

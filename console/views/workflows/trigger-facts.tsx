import { Code } from "@mantine/core";
import type { ReactNode } from "react";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import { webhookTrigger } from "../../strings/en/webhook-trigger.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { groupLabel } from "../../graph/condition-label.ts";
import { hasConditions } from "./labels.ts";

const text = workflows.triggerFacts;

/** The details of a trigger: conditions, expression, inputs. */
export function triggerFacts(trigger: Trigger): (readonly [name: string, value: ReactNode])[] {
  switch (trigger.type) {
    case "webhook":
      return trigger.payload === "body" ? [[webhookTrigger.payload, webhookTrigger.payloads.body]] : [];
    case "cron":
      return [
        [text.expression, <Code key="expression">{trigger.expression}</Code>],
        [text.timeZone, trigger.timezone ?? "UTC"],
      ];
    case "incident":
      return [
        [text.conditions, hasConditions(trigger.conditions) ? groupLabel(trigger.conditions) : text.noConditions],
      ];
    case "failure":
      return [[text.tags, trigger.tags === undefined ? text.anyWorkflow : text.tagged(trigger.tags)]];
    case "manual": {
      const inputs = Object.entries(trigger.inputs ?? {});
      if (inputs.length === 0) return [];
      return [
        [
          text.inputs,
          <ul key="inputs" style={{ margin: 0, paddingInlineStart: "1rem" }}>
            {inputs.map(([name, { type, required, description }]) => (
              <li key={name}>
                <Code>{name}</Code> {required === true ? `${type}, ${text.required}` : type}
                {description === undefined ? "" : `: ${description}`}
              </li>
            ))}
          </ul>,
        ],
      ];
    }
  }
}

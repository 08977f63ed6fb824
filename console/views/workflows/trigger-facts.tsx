import { Code } from "@mantine/core";
import type { ReactNode } from "react";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import { groupLabel } from "../../graph/condition-label.ts";

/** The details of a trigger: conditions, expression, inputs. */
export function triggerFacts(trigger: Trigger): { name: string; value: ReactNode }[] {
  switch (trigger.type) {
    case "webhook":
      return [];
    case "cron":
      return [
        { name: "Expression", value: <Code>{trigger.expression}</Code> },
        { name: "Time zone", value: trigger.timezone ?? "UTC" },
      ];
    case "incident":
      return trigger.conditions === undefined || trigger.conditions.conditions.length === 0
        ? [{ name: "Conditions", value: "none: every such event starts it" }]
        : [{ name: "Conditions", value: groupLabel(trigger.conditions) }];
    case "manual": {
      const inputs = Object.entries(trigger.inputs ?? {});
      if (inputs.length === 0) return [];
      return [
        {
          name: "Inputs",
          value: (
            <ul style={{ margin: 0, paddingInlineStart: "1rem" }}>
              {inputs.map(([name, { type, required, description }]) => (
                <li key={name}>
                  <Code>{name}</Code> {type}
                  {required === true ? ", required" : ""}
                  {description === undefined ? "" : `: ${description}`}
                </li>
              ))}
            </ul>
          ),
        },
      ];
    }
  }
}

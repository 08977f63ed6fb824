import { z } from "zod";
import { ACTIONS, isActionName } from "../../../schema/contract/action.ts";
import type { ActionName } from "../../../schema/contract/action.ts";
import { jsonValueSchema } from "../../../schema/contract/json.ts";
import { mapSubschemas } from "../openapi/subschemas.ts";
import { tidySchema } from "../openapi/tidy-schema.ts";
import type { JsonSchema } from "../openapi/types.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { schemaBlock } from "./schema.ts";

/** Every action with its connection's type, its parameters and what it gives. */
export function actionList(): Html {
  return html`${Object.keys(ACTIONS).filter(isActionName).map(actionBlock)}`;
}

function actionBlock(action: ActionName): Html {
  const { code, connectionType, output } = ACTIONS[action];
  const programs = Object.entries(code);
  return html`<details class="answer" id="action-${action}">
    <summary><code>${action}</code></summary>
    <p>
      On a connection of type <code>${connectionType}</code>.
      ${programs.map(([name, language]) => html`<code>${name}</code> is code, ${language}. `)}Output: ${list(output)}.
    </p>
    ${schemaBlock(paramsOf(action))}
  </details>`;
}

/** Shapes that the page shows under a name. */
const NAMED = z.registry<{ id: string }>().add(jsonValueSchema, { id: "JsonValue" });

function paramsOf(action: ActionName): JsonSchema {
  const options = { io: "input", unrepresentable: "any", metadata: NAMED } as const;
  return toNames(tidySchema(z.toJSONSchema(ACTIONS[action].params, options), new Map()));
}

function toNames(schema: JsonSchema): JsonSchema {
  const { $ref, ...rest } = mapSubschemas(schema, toNames);
  return $ref === undefined ? rest : { $ref: $ref.replace("#/$defs/", "#/components/schemas/") };
}

function list(names: readonly string[]): Html {
  return html`${names.map((name, index) => html`${index === 0 ? "" : ", "}<code>${name}</code>`)}`;
}

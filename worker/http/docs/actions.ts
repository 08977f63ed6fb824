import { ACTIONS, isActionName } from "../../../schema/contract/action.ts";
import type { ActionName } from "../../../schema/contract/action.ts";
import { jsonValueSchema } from "../../../schema/contract/json.ts";
import { jsonSchemas } from "../openapi/json-schemas.ts";
import type { JsonSchema } from "../openapi/types.ts";
import { details, html, join } from "./html.ts";
import type { Html } from "./html.ts";
import { schemaBlock } from "./schema.ts";

/** Every action with its connection type, parameters and output. */
export function actionList(): Html {
  const names = Object.keys(ACTIONS).filter(isActionName);
  const { of } = jsonSchemas(
    "input",
    { JsonValue: jsonValueSchema },
    names.map((name) => ACTIONS[name].params),
  );
  return html`${names.map((name) => actionBlock(name, of(ACTIONS[name].params)))}`;
}

function actionBlock(action: ActionName, params: JsonSchema): Html {
  const { code, connectionType, output } = ACTIONS[action];
  const programs = Object.entries(code);
  const names = Object.entries(output).map(([name, { help }]) => html`<code>${name}</code> (${help})`);
  return details(
    `action-${action}`,
    html`<code>${action}</code>`,
    html`<p>
        On a connection of type <code>${connectionType}</code>.
        ${programs.map(([name, language]) => html`<code>${name}</code> is code, ${language}. `)}Output:
        ${join(names, ", ")}.
      </p>
      ${schemaBlock(params)}`,
  );
}

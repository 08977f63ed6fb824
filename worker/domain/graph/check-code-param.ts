import { codeLanguage } from "../../../schema/contract/action.ts";
import type { ActionName } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { FieldError, Fix } from "../../../schema/contract/problem.ts";
import { firstErrors } from "../shown-errors.ts";
import { checkCode } from "../template/check-code.ts";
import type { Template } from "../template/parse.ts";
import type { Steps } from "../template/steps.ts";
import { namedValuesOf } from "../render-named-values.ts";
import type { NamedValues } from "../render-named-values.ts";
import { warningsAt } from "./code-warnings.ts";
import type { CheckedPlace } from "./code-warnings.ts";
import { variableFor } from "./variable-for.ts";

/** What checking found: what keeps a definition from being saved, and what may not be what was meant. */
export interface Findings {
  readonly problems: readonly FieldError[];
  readonly warnings: readonly FieldError[];
}

/** A code parameter: whether its templates may be where they are, and warnings with a fix where one is safe. */
export function checkCodeParam(
  action: ActionName,
  name: string,
  params: JsonObject,
  at: string,
  steps: Steps,
): Findings {
  const text = params[name];
  if (typeof text !== "string") return { problems: [], warnings: [] };
  const path = `${at}.${name}`;
  if (text.trim() === "")
    return { problems: [{ path, message: "is empty: write the code that shall run" }], warnings: [] };
  const language = codeLanguage(action, name, params) ?? "unknown";
  const named = namedValuesOf(action, params);
  const parameters = new Set(named.kind === "parameters" ? Object.keys(named.members) : []);
  const { problems, places } = checkCode(language, text, parameters, steps);
  const code: CodeParam = { at, path, text, named };
  return {
    problems: firstErrors(problems, ({ message, repair }) => [
      { path, message, ...(repair === undefined ? {} : { fix: insertFilter(code, repair.template, "| int") }) },
    ]),
    warnings: firstErrors(places.flatMap(warningsAt), ({ place, message, repair }) => {
      const fix =
        repair === "required"
          ? insertFilter(code, place.template, "| required")
          : repair === "env"
            ? variableFix(code, place)
            : null;
      const said = `line ${place.line}: ${place.template.source} ${message}`;
      return [{ path, message: said, ...(fix === null ? {} : { fix }) }];
    }),
  };
}

/** `at` is the path of the action's parameters, `path` that of this one. */
interface CodeParam {
  readonly at: string;
  readonly path: string;
  readonly text: string;
  readonly named: NamedValues;
}

function insertFilter({ path }: CodeParam, { at, source }: Template, filter: string): Fix {
  const end = at + source.length - "}}".length;
  return { title: `Use ${filter}`, edits: [{ path, start: end, end, value: ` ${filter}` }] };
}

/** Replaces a whole word by `"$NAME"`, with a row in `env` for the value. */
function variableFix({ at, path, text, named }: CodeParam, { template, takesVariable }: CheckedPlace): Fix | null {
  const { kind, members: env } = named;
  if (kind !== "env" || takesVariable !== true) return null;
  const [same] = Object.entries(env).find(([, value]) => value === template.source) ?? [];
  const name = same ?? variableFor(template.path, (one) => Object.hasOwn(env, one) || text.includes(one));
  const end = template.at + template.source.length;
  return {
    title: `Pass it in env as ${name}`,
    edits: [
      ...(same === undefined ? [{ path: `${at}.env.${name}`, value: template.source }] : []),
      { path, start: template.at, end, value: `"$${name}"` },
    ],
  };
}

import { codeLanguage } from "../../../schema/contract/action.ts";
import type { ActionName } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { FieldError, Fix } from "../../../schema/contract/problem.ts";
import { firstErrors } from "../shown-errors.ts";
import { checkCode } from "../template/check-code.ts";
import type { CodeCheck } from "../template/check-code.ts";
import { isNarrowed } from "../template/filters.ts";
import type { Template } from "../template/parse.ts";
import type { Steps } from "../template/steps.ts";
import { namedValuesOf } from "../render-named-values.ts";
import { variableFor } from "./variable-for.ts";

/** What checking found: what keeps a definition from being saved, and what may not be what was meant. */
export interface Findings {
  readonly problems: readonly FieldError[];
  readonly warnings: readonly FieldError[];
}

type CheckedPlace = CodeCheck["places"][number];

/** Paths that usually hold free text. */
const FREE_TEXT = /^(?:incident\.(?:title|description)|error\.message|nodes\.[^.]+\.output\.stdout)$/u;

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
  const insert = (template: Template, filter: string): Fix => {
    const before = template.at + template.source.length - 2;
    return { title: `Use ${filter}`, edits: [{ path, start: before, end: before, value: ` ${filter}` }] };
  };
  return {
    problems: firstErrors(problems, ({ message, repair }) => [
      { path, message, ...(repair === undefined ? {} : { fix: insert(repair.template, "| int") }) },
    ]),
    warnings: firstErrors(places, (place) =>
      warningsOf(place).map(({ message, fix }) => {
        const made =
          fix === "required"
            ? insert(place.template, "| required")
            : fix === "env" && named.kind === "env"
              ? variableFix(place, at, path, named.members, text)
              : undefined;
        return {
          path,
          message: `line ${place.line}: ${place.template.source} ${message}`,
          ...(made === undefined ? {} : { fix: made }),
        };
      }),
    ),
  };
}

function warningsOf({
  template,
  before,
  after,
  startsCommand,
}: CheckedPlace): { message: string; fix?: "env" | "required" }[] {
  const { path, filters } = template;
  const isPinned = isNarrowed(filters);
  const handlesEmpty = filters.some(({ name }) => name === "required" || name === "default");
  return [
    ...(isPinned || !FREE_TEXT.test(path.join("."))
      ? []
      : [
          {
            message:
              "usually holds free text, and only a plain word can be here: the node would fail with unsafe_value. Pass it in env.",
            fix: "env" as const,
          },
        ]),
    ...(startsCommand === true && !isPinned
      ? [{ message: "chooses the program that runs. Write the program, or pin the choice with | oneOf." }]
      : []),
    ...((before === "/" || after === "/") && !handlesEmpty
      ? [
          {
            message: "touches a slash: if it is empty, this is the parent directory. Use | required, or | default.",
            fix: "required" as const,
          },
        ]
      : []),
  ];
}

/** Replaces a whole word by `"$NAME"`, with a row in `env` for the value. */
function variableFix(
  { template, takesVariable }: CheckedPlace,
  at: string,
  path: string,
  env: JsonObject,
  text: string,
): Fix | undefined {
  if (takesVariable !== true) return undefined;
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

import type { CodeCheck } from "../template/check-code.ts";
import { isNarrowed } from "../template/filters.ts";

export type CheckedPlace = CodeCheck["places"][number];

/** What may not be what was meant, as a sentence's end, and how it may be repaired where that is safe. */
export interface CodeWarning {
  readonly place: CheckedPlace;
  readonly message: string;
  readonly repair?: "env" | "required";
}

/** Paths that usually hold free text. */
const FREE_TEXT = /^(?:incident\.(?:title|description)|error\.message|nodes\.[^.]+\.output\.stdout)$/u;
const USUALLY_REFUSED =
  "usually holds free text, and only a plain word can be here: the step would fail with unsafe_value. Pass it in env.";
const CHOOSES_PROGRAM =
  "is where a command begins: the value chooses the program. Write the program out, or pin the choice with | oneOf.";
const PARENT_DIRECTORY =
  "touches a slash: if it is empty, this is the parent directory. Write | required, or | default.";

/** What to say of a template in code that can be saved. */
export function warningsAt(place: CheckedPlace): CodeWarning[] {
  const { template, before, after, startsCommand } = place;
  const { path, filters } = template;
  const warnings: CodeWarning[] = [];
  const isPinned = isNarrowed(filters);
  if (!isPinned && FREE_TEXT.test(path.join("."))) warnings.push({ place, message: USUALLY_REFUSED, repair: "env" });
  if (!isPinned && startsCommand === true) warnings.push({ place, message: CHOOSES_PROGRAM });
  const mayBeEmpty = !filters.some(({ name }) => name === "required" || name === "default");
  if (mayBeEmpty && (before === "/" || after === "/")) {
    warnings.push({ place, message: PARENT_DIRECTORY, repair: "required" });
  }
  return warnings;
}

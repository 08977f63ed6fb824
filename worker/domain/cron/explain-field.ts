import { CronPattern } from "croner";
import { CRON_FIELDS, fieldValues, isDayOfWeek } from "./fields.ts";
import type { CronField } from "./fields.ts";

const SHOWN_CHARS = 40;
/** A longer list of numbers is no help. */
const SUGGESTED_MAX_CHARS = 40;
const FORMS = "write *, */N, N-M or N,M,O";

/**
 * The reason why a field has none of the four forms, the index of the character, and what to write instead. For a form
 * that croner reads (`1-5,10`, `0-30/5`, `MON`, `7`), and for a backwards range, the message has its values.
 */
export function explainField(text: string, field: CronField): { at: number; message: string } {
  const shown = JSON.stringify(text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);
  if (text === "?") return { at: 0, message: `${shown} is not supported; write *` };
  const values = otherCronsValues(text, field);
  if (values !== null) {
    const written = writeField(values, field);
    const way = written.length > SUGGESTED_MAX_CHARS ? FORMS : `write ${written}`;
    return { at: 0, message: `${shown} ${reasonFor(text, field)}; ${way}` };
  }
  const gap = /^,|,,|,$/u.exec(text);
  if (gap !== null) return { at: gap.index, message: `${shown} has a comma without a number on both sides; ${FORMS}` };
  const at = /[a-z]{3}/iu.test(text) && hasNames(field) ? 0 : Math.max(0, text.search(/[^\d*,/-]/u));
  const special = /^(?:[a-z]{3})?[\d\-,*/]*[LW#?][\d\-,LW#?*/]*$/iu.test(text);
  const reason = special ? "uses L, W, # or ?, which are not supported" : "is not understood";
  return { at, message: `${shown} ${reason}; ${FORMS}, with numbers from ${field.min} to ${field.max}` };
}

const hasNames = (field: CronField) => field.name === "month" || isDayOfWeek(field);

function reasonFor(text: string, field: CronField): string {
  if (/[a-z]/iu.test(text)) return "contains names, and only numbers are accepted";
  if (isDayOfWeek(field) && text.includes("7")) return "has 7 in it, and Sunday is 0";
  if (text.includes(",")) return "is a list with entries that are not numbers";
  return text.includes("/") ? "has a step after something other than *" : "is a range that runs backwards";
}

/** The values that croner reads, without its L, W, #, ? and +; null when there are none. */
function otherCronsValues(text: string, field: CronField): number[] | null {
  const short = text
    .replaceAll(/(?<name>[a-z]{3})[a-z]*/giu, "$<name>")
    .replace(/^(?<first>\d+)-(?<last>\d+)$/u, (range, first: string, last: string) =>
      Number(first) > Number(last) ? `${first}-${field.max},${field.min}-${last}` : range,
    );
  if (!/^(?:[\d,*/-]|[a-z]{3})+$/iu.test(short)) return null;
  try {
    const expression = CRON_FIELDS.map(({ name }) => (name === field.name ? short : "*")).join(" ");
    const { minute, hour, day, month, dayOfWeek } = new CronPattern(expression, "UTC", { sloppyRanges: true });
    const read = [minute, hour, day, month, dayOfWeek][CRON_FIELDS.findIndex(({ name }) => name === field.name)] ?? [];
    const values = fieldValues(field).filter((value) => Boolean(read[value - field.min]));
    return values.length > 0 ? values : null;
  } catch {
    return null;
  }
}

/** Values in the shortest of the four forms: `*`, `*\/N`, `N-M` or `N,M,O`. The values are sorted and distinct. */
function writeField(values: readonly number[], field: CronField): string {
  const [first = field.min, second = first] = values;
  const last = values.at(-1) ?? first;
  // For one or two values a list is clearer than a step.
  if (values.length <= 2) return values.join(",");
  if (fieldValues(field, second - first).join(",") === values.join(",")) {
    return second - first === 1 ? "*" : `*/${second - first}`;
  }
  return last - first + 1 === values.length ? `${first}-${last}` : values.join(",");
}

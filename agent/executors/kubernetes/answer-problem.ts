import type { JsonObject } from "../../../schema/contract/json.ts";
import { isJsonObject, objectOf } from "../../../schema/contract/json-object.ts";
import type { ApiAnswer } from "../shared/json-api.ts";

/** The answer that a call asks for. */
export interface Expected {
  /** Another server's JSON has another kind, or none. */
  kind?: string;
  /** The name of the object. */
  name?: string;
  /** Whether a Status of that name is an answer, too: the object is gone. */
  orStatus?: boolean;
  /** Gets a body that is not JSON as it arrives. */
  take?: (part: Uint8Array) => void;
}

/** Not a log: API servers send logs as text/plain. */
const OTHER_TYPE = /^text\/html|[/+](json|xml)\b/iu;

/**
 * Why an answer with a status below 300 is not what the call asked for; null when it is. The library's models accept any
 * JSON object, so another server must be noticed here.
 */
export function answerProblem(expected: Expected, { members, headers, output }: ApiAnswer): string | null {
  const { kind, name, take } = expected;
  if (take !== undefined) {
    const type = headers["content-type"] ?? "";
    return OTHER_TYPE.test(type) ? `its answer is ${type.split(";")[0]} and not a log` : null;
  }
  if (!isJsonObject(output["body"]) || output["truncated"] === true) return "its answer is not a JSON object";
  if (kind === undefined || isAbout(expected, members)) return null;
  return name === undefined ? `its answer is not a ${kind}` : `its answer is not the ${kind} ${name}`;
}

function isAbout({ kind, name, orStatus = false }: Expected, members: JsonObject): boolean {
  if (orStatus && members["kind"] === "Status") {
    return members["status"] === "Success" && objectOf(members["details"])["name"] === name;
  }
  return members["kind"] === kind && (name === undefined || objectOf(members["metadata"])["name"] === name);
}

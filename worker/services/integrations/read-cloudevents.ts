import { cloudEventIncidentSchema, cloudEventSchema } from "../../../schema/contract/integration.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { cloudEventSignal } from "../../domain/incident/cloudevent.ts";
import type { SeverityOf } from "../../domain/incident/severity.ts";
import { checkInput } from "../parse.ts";
import type { Read } from "./receive.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";

/** One CloudEvent in its JSON form; `at` is its place in a batch. */
export function readCloudEvent(event: unknown, at: readonly PropertyKey[], severityOf: SeverityOf): Read {
  const checked = checkInput(cloudEventSchema, event, at);
  if (!checked.ok) return checked;
  const { data } = checked.data;
  const incident = cloudEventIncidentSchema.parse(isJsonObject(data) ? data : {});
  const read = cloudEventSignal(checked.data, incident, severityOf);
  return read.ok ? read : { ok: false, errors: read.errors.map((error) => below(at, error)) };
}

function below(at: readonly PropertyKey[], { path, message }: FieldError): FieldError {
  return { path: [...at.map(String), path].join("."), message };
}

import { pagerdutyEventSchema } from "../../../schema/contract/integration.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { pagerdutySignal } from "../../domain/incident/pagerduty.ts";
import type { Signal } from "../../domain/incident/signal.ts";
import type { SeverityOf } from "../../domain/incident/severity.ts";
import { parseInput } from "../parse.ts";

/** An event of PagerDuty's Events API v2. A trigger without a key gets a new one, which the answer shows. */
export function readPagerduty(body: JsonValue, severityOf: SeverityOf): Signal {
  const newKey = crypto.randomUUID().replaceAll("-", "");
  return pagerdutySignal(parseInput(pagerdutyEventSchema, body), newKey, severityOf);
}

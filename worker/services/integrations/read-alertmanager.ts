import { alertmanagerAlertSchema, alertmanagerWebhookSchema } from "../../../schema/contract/integration.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { alertmanagerSignal } from "../../domain/incident/alertmanager.ts";
import type { SeverityOf } from "../../domain/incident/severity.ts";
import { checkInput, parseInput } from "../parse.ts";
import type { Read } from "./receive.ts";

/** The alerts of a group that Alertmanager's webhook delivers. */
export function readAlertmanager(body: JsonValue, severityOf: SeverityOf): Read[] {
  const { alerts } = parseInput(alertmanagerWebhookSchema, body);
  return alerts.map((alert, index): Read => {
    const checked = checkInput(alertmanagerAlertSchema, alert, ["alerts", index]);
    return checked.ok ? { ok: true, signal: alertmanagerSignal(checked.data, severityOf) } : checked;
  });
}

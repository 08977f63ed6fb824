import { describe, expect, test } from "bun:test";
import type { Incident } from "../../worker/domain/incident/index.ts";
import { planSignal } from "../../worker/domain/incident/signal.ts";
import type { Known, NewIncident, Signal } from "../../worker/domain/incident/signal.ts";

const NEW: NewIncident = {
  title: "Disk full",
  description: null,
  severity: "high",
  service: null,
  source: "alertmanager",
  host: null,
  teamId: null,
  assignedTo: null,
  tags: {},
};
const incident = (id: string, status: Incident["status"], changes: Partial<Incident> = {}): Incident => ({
  ...NEW,
  id,
  status,
  dedupKey: "itg:k",
  escalationLevel: 0,
  createdAt: 1,
  updatedAt: 1,
  resolvedAt: status === "resolved" ? 2 : null,
  ...changes,
});
const KEY = { dedupKey: "k", occurrence: "k 1", messageId: null };
const firing: Signal = { ...KEY, action: "trigger", incident: NEW };
const resolved: Signal = { ...KEY, action: "resolve" };
const acknowledged: Signal = { ...KEY, action: "acknowledge" };
const NOTHING: Known<Incident> = { isRepeated: false, ofOccurrence: null, isOver: false, open: null };

/** The plan as text, and its incident. */
function planned(signal: Signal, known: Partial<Known<Incident>>): string {
  const plan = planSignal(signal, { ...NOTHING, ...known }, 10);
  switch (plan.type) {
    case "create":
      return "create";
    case "update":
      return `update ${plan.before.id}`;
    case "transition":
      return `${plan.event} ${plan.before.id}`;
    case "nothing":
      return `${plan.outcome} ${plan.incident?.id ?? "-"}`;
  }
}

describe("the plan for a signal", () => {
  const open = incident("open", "triggered");
  const worse = incident("open", "triggered", { severity: "low" });
  const over = incident("over", "resolved");
  const cases: [string, Signal, Partial<Known<Incident>>, string][] = [
    ["the first firing", firing, {}, "create"],
    ["the same notification again", firing, { ofOccurrence: open, open }, "unchanged open"],
    ["the same alert with another severity", firing, { ofOccurrence: worse, open: worse }, "update open"],
    ["a late repetition of a firing that has ended", firing, { ofOccurrence: over }, "ignored over"],
    ["a late repetition while a newer incident is open", firing, { ofOccurrence: over, open }, "ignored over"],
    ["a new firing while the old incident is open", firing, { open }, "unchanged open"],
    ["resolved", resolved, { ofOccurrence: open, open }, "incident.resolved open"],
    ["resolved again", resolved, { ofOccurrence: over }, "unchanged over"],
    ["a late resolved while a newer incident is open", resolved, { ofOccurrence: over, open }, "unchanged over"],
    ["resolved for a firing that never arrived", resolved, {}, "ignored -"],
    ["a firing whose resolved arrived first", firing, { isOver: true }, "ignored -"],
    ["its resolved again, while a newer incident is open", resolved, { isOver: true, open }, "ignored -"],
    ["resolved with another start time", resolved, { open }, "incident.resolved open"],
    ["acknowledged", acknowledged, { open }, "incident.acknowledged open"],
    ["acknowledged twice", acknowledged, { open: incident("open", "acknowledged") }, "unchanged open"],
    ["acknowledged after it was resolved", acknowledged, { ofOccurrence: over }, "unchanged over"],
    ["a message that was accepted before", firing, { isRepeated: true }, "ignored -"],
    ["a resolving message that was accepted before", resolved, { isRepeated: true, open }, "ignored open"],
  ];
  test.each(cases)("%s", (_name, signal, known, expected) => {
    expect(planned(signal, known)).toBe(expected);
  });
});

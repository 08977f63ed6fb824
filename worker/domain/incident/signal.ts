import type { IncidentEventType } from "../../../schema/contract/workflow.ts";
import { acknowledge, bringUpToDate, resolve } from "./index.ts";
import type { Incident } from "./index.ts";

/** A source's data for a new incident. Without a source, it is the integration's name. */
export type NewIncident = Pick<
  Incident,
  "title" | "description" | "severity" | "service" | "source" | "host" | "teamId" | "assignedTo" | "tags"
>;

/** One alert or event of an integration, in any wire form. */
export type Signal = {
  /** The source's key for the problem: each key has at most one open incident. */
  readonly dedupKey: string;
  /** The id of this occurrence of the problem: a late repetition does not open a finished occurrence again. */
  readonly occurrence: string | null;
  /** The id of this message: a repeated message has no effect. */
  readonly messageId: string | null;
} & ({ readonly action: "trigger"; readonly incident: NewIncident } | { readonly action: "acknowledge" | "resolve" });

/** The facts known when a signal arrives; `I` is the caller's form of an incident. */
export interface Known<I extends Incident> {
  /** The message was applied before. */
  readonly isRepeated: boolean;
  /** The incident that this occurrence made or belongs to; null when it is unknown. */
  readonly ofOccurrence: I | null;
  /** The end of this occurrence arrived before there was an incident, or its resolved incident was deleted by age. */
  readonly isOver: boolean;
  /** The open incident of the signal's key. */
  readonly open: I | null;
}

export type Plan<I extends Incident> =
  | { readonly type: "create"; readonly incident: NewIncident }
  /** Updated without an event. */
  | { readonly type: "update"; readonly before: I; readonly after: Incident }
  | {
      readonly type: "transition";
      readonly before: I;
      readonly after: Incident;
      readonly event: IncidentEventType;
      readonly verb: "acknowledge" | "resolve";
    }
  | {
      readonly type: "nothing";
      readonly outcome: "unchanged" | "ignored";
      readonly incident: I | null;
      readonly detail: string | null;
    };

/** Decides the effect of a signal. */
export function planSignal<I extends Incident>(signal: Signal, known: Known<I>, now: number): Plan<I> {
  const target = known.ofOccurrence ?? known.open;
  if (known.isRepeated) return ignored(target, "This event was accepted before.");
  if (known.isOver)
    return ignored<I>(
      null,
      "This occurrence is over: its end was reported before its beginning, or its incident was deleted.",
    );
  if (signal.action === "trigger") {
    if (target === null) return { type: "create", incident: signal.incident };
    if (target.status === "resolved") return ignored(target, "This occurrence is over: its incident is resolved.");
    const { title, description, severity, tags } = signal.incident;
    const after = bringUpToDate(target, { title, description, severity, tags }, now);
    return after === null ? unchanged(target) : { type: "update", before: target, after };
  }
  if (target === null) return ignored<I>(null, "There is no open incident with the key of this event.");
  const verb = signal.action;
  const transition = verb === "acknowledge" ? acknowledge(target, now) : resolve(target, now);
  if (transition.type !== "changed") return unchanged(target);
  return { type: "transition", before: target, after: transition.incident, event: transition.event, verb };
}

function unchanged<I extends Incident>(incident: I): Plan<I> {
  return { type: "nothing", outcome: "unchanged", incident, detail: null };
}

function ignored<I extends Incident>(incident: I | null, detail: string): Plan<I> {
  return { type: "nothing", outcome: "ignored", incident, detail };
}

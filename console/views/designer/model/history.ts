import type { Node } from "../../../../schema/contract/workflow.ts";
import { apply } from "./commands.ts";
import type { Command, Draft } from "./commands.ts";
import { findNode } from "./graph-edit.ts";

/** The draft with its undo and redo steps. */
export interface History {
  readonly draft: Draft;
  readonly past: readonly Draft[];
  readonly future: readonly Draft[];
  /** What the last step changed, and when. Another change of the same field within the pause joins this step. */
  readonly step: { readonly about: string; readonly at: number } | null;
}

export type HistoryEvent =
  | { type: "command"; command: Command; now: number }
  | { type: "undo" }
  | { type: "redo" }
  /** Ends the step: the next command begins a new one. */
  | { type: "pause" }
  /** Replaces the draft and clears the history. */
  | { type: "begin"; draft: Draft };

const MAX_STEPS = 200;
/** After such a pause in typing a new step begins. */
const STEP_PAUSE_MS = 3_000;

export function begin(draft: Draft): History {
  return { draft, past: [], future: [], step: null };
}

export function reduceHistory(history: History, event: HistoryEvent): History {
  switch (event.type) {
    case "begin":
      return begin(event.draft);
    case "pause":
      return history.step === null ? history : { ...history, step: null };
    case "undo": {
      const before = history.past.at(-1);
      if (before === undefined) return history;
      return {
        draft: before,
        past: history.past.slice(0, -1),
        future: [history.draft, ...history.future],
        step: null,
      };
    }
    case "redo": {
      const [next, ...future] = history.future;
      if (next === undefined) return history;
      return { draft: next, past: [...history.past, history.draft], future, step: null };
    }
    case "command":
      return carriedOut(history, event.command, event.now);
  }
}

function carriedOut(history: History, command: Command, now: number): History {
  const draft = apply(history.draft, command);
  if (draft === history.draft || JSON.stringify(draft) === JSON.stringify(history.draft)) return history;
  const about = aboutOf(history.draft, command);
  const { step } = history;
  const goesOn = about !== null && step !== null && step.about === about && now - step.at < STEP_PAUSE_MS;
  return {
    draft,
    past: goesOn ? history.past : [...history.past, history.draft].slice(-MAX_STEPS),
    future: [],
    step: about === null ? null : { about, at: now },
  };
}

/** The field that a command changes. Commands about the same field can join one step; null always is a new step. */
function aboutOf({ definition, trigger }: Draft, command: Command): string | null {
  switch (command.do) {
    case "change": {
      const before = findNode(definition, command.id);
      if (before === undefined || command.node.id !== command.id) return null;
      return `${command.id} ${differingPath(before, command.node)}`;
    }
    case "trigger":
      return `trigger ${differingPath(trigger, command.trigger)}`;
    case "head":
      return `head ${Object.keys(command).join(" ")}`;
    case "rules":
      return `rules ${Object.keys(command.rules).join(" ")}`;
    case "replace":
      return "text";
    default:
      return null;
  }
}

/** The path to the one place where two values differ. It ends at an object that differs in several members. */
export function differingPath(before: Node | object, after: Node | object): string {
  const path: string[] = [];
  let [one, other]: [unknown, unknown] = [before, after];
  while (isObject(one) && isObject(other)) {
    const [a, b]: [Record<string, unknown>, Record<string, unknown>] = [{ ...one }, { ...other }];
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    const differing = keys.filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]));
    const [key, ...more] = differing;
    if (key === undefined || more.length > 0) break;
    path.push(key);
    [one, other] = [a[key], b[key]];
  }
  return path.join(".");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

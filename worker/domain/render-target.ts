import type { Failure } from "../../schema/contract/problem.ts";
import { placeIn } from "../../schema/contract/target-list.ts";
import type { TargetList } from "../../schema/contract/target-list.ts";
import type { ActionNode } from "../../schema/contract/workflow.ts";
import { renderText } from "./render-data.ts";
import { shorten } from "./shown-errors.ts";
import { TemplateFailure } from "./template/failure.ts";
import type { Resolve } from "./template/value.ts";

const SHOWN_TARGET_CHARS = 200;
const SHOWN_ENTRIES = 10;

/** The connection of a step. */
export interface PlacedConnection {
  readonly name: string;
  /** Null when it leads to one host. */
  readonly targets: TargetList | null;
}

/** The target of a job, null on a connection to one host, and how it is shown; or why it has none. */
export type RenderedTarget =
  | { readonly ok: true; readonly target: string | null; readonly shown: string | null }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Renders a node's target and compares it with the connection's list; `connection` is null for a node without one. Fails
 * with `target_missing`, `target_not_allowed`, or the code of a `TemplateFailure`. The agent compares it again with the
 * list that was sealed with the credential. `hide` takes out sensitive values: the target is shown, also in the error.
 */
export function renderTarget(
  { target: written }: Pick<ActionNode, "target">,
  connection: PlacedConnection | null,
  resolve: Resolve,
  hide: (written: string, rendered: string) => string = (_written, rendered) => rendered,
): RenderedTarget {
  const fail = (code: string, message: string): RenderedTarget => ({ ok: false, failure: { code, message } });
  const list = connection?.targets ?? null;
  if (connection === null || list === null) {
    if (written === undefined) return { ok: true, target: null, shown: null };
    const leads =
      connection === null ? "has no connection" : `uses the connection "${connection.name}", which leads to one host`;
    const message = `The step ${leads}. Remove the step's target and publish again.`;
    return fail("target_not_allowed", message);
  }
  if (written === undefined) {
    const message = `The connection "${connection.name}" leads to several hosts, and the step names none. Set its target and publish again.`;
    return fail("target_missing", message);
  }
  try {
    const rendered = renderText(written, resolve);
    // Values are found in the spelling that they have.
    const [target, shown] = [spelt(rendered), spelt(hide(written, rendered))];
    if (placeIn(list, target) !== null) return { ok: true, target, shown };
    const quoted = JSON.stringify(shorten(shown, SHOWN_TARGET_CHARS));
    const message = `The connection "${connection.name}" does not allow the target ${quoted}. It allows ${allowedBy(list)}. Nothing was sent to an agent.`;
    return fail("target_not_allowed", message);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    const { code, message } = error.failure;
    return fail(code, `target: ${message} Nothing was sent to an agent.`);
  }
}

/** The one spelling of a target. */
export function spelt(text: string): string {
  return text.trim().toLowerCase();
}

/** What would match, for messages. */
export function allowedBy({ targets }: TargetList): string {
  const more = targets.length - SHOWN_ENTRIES;
  return `${targets.slice(0, SHOWN_ENTRIES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

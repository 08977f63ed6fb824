import type { PauseState } from "../../../schema/contract/pause.ts";
import { setPauseSchema } from "../../../schema/contract/pause.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import type { ControlState } from "../../domain/control.ts";
import { toAuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { readControl } from "./read-control.ts";

const CALL_LIMIT_MS = 10_000;
const DEPLOYMENT = { subjectType: "deployment", subjectId: "all" } as const;

/** Pauses all runs, or changes the reason of the pause. Needs no database. */
export async function pauseRuns(deps: Deps, { actor }: Principal, body: unknown): Promise<PauseState> {
  const { reason } = parseInput(setPauseSchema, body);
  const audit = toAuditRow(deps, { actor, verb: "pause", ...DEPLOYMENT, detail: { reason } });
  return answerOf(deps.objects.control().pause({ by: actor, at: audit.at, reason }, audit));
}

/** Safe to repeat. */
export async function resumeRuns(deps: Deps, { actor }: Principal): Promise<PauseState> {
  return answerOf(deps.objects.control().resume(toAuditRow(deps, { actor, verb: "resume", ...DEPLOYMENT })));
}

/** The present state, never a remembered one. */
export async function readPause(deps: Deps): Promise<PauseState> {
  return answerOf(deps.objects.control().read());
}

/** The same for a page that also shows other things: the last known state while the control object does not answer. */
export async function readPauseIfPossible(deps: Deps): Promise<PauseState> {
  try {
    return await readPause(deps);
  } catch {
    return toPauseState(await readControl(deps));
  }
}

async function answerOf(call: Promise<ControlState>): Promise<PauseState> {
  try {
    return toPauseState(await withTimeout(CALL_LIMIT_MS, "the control object", call));
  } catch (cause) {
    throw new ProblemError("unavailable", "The service cannot read or change the pause now. Try again in a moment.", {
      cause,
    });
  }
}

function toPauseState({ pause }: ControlState): PauseState {
  return { paused: pause === null ? null : { ...pause, at: new Date(pause.at).toISOString() } };
}

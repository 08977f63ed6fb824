import { useEffect, useState } from "react";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { Draft } from "./model/commands.ts";
import { useWhenReleased } from "./use-when-released.ts";
import { designer } from "../../strings/en/designer.ts";

const PAUSE_MS = 300;
const AGAIN_MS = 5_000;

export interface Checks {
  /** Problems of the draft that was checked last. */
  errors: readonly FieldError[];
  /** Warnings about it, which block nothing. */
  warnings: readonly FieldError[];
  /** The draft that was checked last; null before the first answer. */
  checked: Draft | null;
  /** A message about why checks are paused; null while they run. */
  paused: string | null;
}

/** Has the service check the draft a moment after each change. A new check aborts the previous one. */
export function useChecks(draft: Draft): Checks {
  const [checks, setChecks] = useState<Checks>({ errors: [], warnings: [], checked: null, paused: null });
  const [attempt, setAttempt] = useState(0);
  const whenReleased = useWhenReleased();
  useEffect(() => {
    const request = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(() => {
      call("POST", "/api/v1/automation/workflows/validate", { body: draft }, { signal: request.signal })
        .then(({ errors, warnings }) =>
          whenReleased(() => setChecks({ errors, warnings, checked: draft, paused: null })),
        )
        .catch((error: unknown) => {
          if (request.signal.aborted) return;
          whenReleased(() => setChecks((before) => ({ ...before, paused: whyPaused(error) })));
          again = setTimeout(() => setAttempt((count) => count + 1), AGAIN_MS);
        });
    }, PAUSE_MS);
    return () => {
      request.abort();
      clearTimeout(timer);
      clearTimeout(again);
    };
  }, [draft, attempt, whenReleased]);
  return checks;
}

function whyPaused(error: unknown): string {
  if (error instanceof ApiProblem && error.status > 0 && error.status < 500) return error.message;
  return designer.problems.unchecked;
}

import type { Evidence } from "../evidence.ts";
import { violation } from "./violation.ts";
import type { Violation } from "./violation.ts";

/** No work waits or runs, and no secret is outside the places where it belongs (invariant 6). */
export function nothingIsLeft({ left, programEnds }: Evidence): Violation[] {
  return [
    ...left.unrest.map((detail) => violation("everything comes to rest", detail)),
    ...left.inbox.map((detail) => violation("the inbox is empty", detail)),
    ...left.processes.map((detail) => violation("no process is left", detail)),
    ...left.secrets.map((detail) => violation("secrets stay where they are used", detail)),
    ...(left.strangers === 0
      ? []
      : [
          violation(
            "a job has its credential",
            `targets and the receiver of notices saw ${left.strangers} requests without it`,
          ),
        ]),
    ...programEnds
      .filter(({ unexpected }) => unexpected)
      .map(({ program, code, at }) =>
        violation(
          "a program ends only when the run ends it",
          `${program} ended unexpectedly with code ${code} at ${new Date(at).toISOString()}`,
        ),
      ),
  ];
}

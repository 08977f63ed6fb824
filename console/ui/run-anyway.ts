import { ApiProblem } from "../api/problem.ts";
import { maintenance } from "../strings/en/maintenance.ts";
import { confirm } from "./confirm.tsx";

/** Asks whether to run in spite of the maintenance window for which the service refused; false for other errors. */
export async function runsAnyway(error: unknown): Promise<boolean> {
  if (!(error instanceof ApiProblem) || error.code !== "maintenance") return false;
  const { title, confirm: confirmLabel, keep } = maintenance.anyway;
  return confirm({ title, body: maintenance.anyway.body, confirmLabel, keepLabel: keep });
}

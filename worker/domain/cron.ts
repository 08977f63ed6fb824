import type { FieldError } from "../../schema/contract/problem.ts";

/** What is wrong with a schedule, by its path: `expression`, `timezone`. */
export function cronProblems(_schedule: { expression: string; timezone?: string | undefined }): FieldError[] {
  return [];
}

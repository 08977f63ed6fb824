import { didYouMean } from "../schema/contract/nearest-value.ts";

/** What is wrong with a command's arguments, as one sentence; null for known options. */
export function optionProblem(command: string, args: readonly string[], known: readonly string[]): string | null {
  const unknown = args.find((arg) => arg.startsWith("-") && !known.includes(arg.split("=")[0] ?? ""));
  if (unknown === undefined) return null;
  return `bellhop: ${command} has no option ${unknown}.${didYouMean(known, unknown.split("=")[0])}`;
}

/** Ends the process with exit code 64 when an option is unknown: it would be ignored, or do something else. */
export function refuseUnknownOptions(command: string, args: readonly string[], known: readonly string[]): void {
  const problem = optionProblem(command, args, known);
  if (problem === null) return;
  console.error(problem);
  process.exit(64);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Job } from "../../../schema/contract/agent.ts";

/** The attempts of a hostile job, and the secrets to look for. */
export interface Attack {
  /** Bytes that the job must not find, by their names in the report. */
  needles: Readonly<Record<string, string>>;
  /** Processes to attack, by name. */
  agents?: Readonly<Record<string, number>>;
  /** Files and directories to read, list and write, with their parents. */
  paths?: readonly string[];
  /** Directories to search for needles. */
  places?: readonly string[];
  /** Programs like id(1) with the setuid bit. */
  setuidPrograms?: readonly string[];
  commands?: readonly (readonly string[])[];
  sockets?: readonly string[];
}

/** By the probe's name: `denied`, `gone`, `open` or the names of the needles it found. */
const probesSchema = z.record(z.string(), z.string());
const reportSchema = z.object({
  uid: z.int(),
  groups: z.array(z.int()),
  agents: z.record(z.string(), probesSchema),
  parent: probesSchema,
  others: z.record(z.string(), z.array(z.string())),
  control: probesSchema,
  commandLines: z.array(z.string()),
  environment: z.array(z.string()),
  descriptors: z.array(z.int()),
  paths: z.record(z.string(), z.array(z.string())),
  parents: z.array(z.string()),
  searched: z.record(z.string(), z.string()),
  hardLinks: z.array(z.string()),
  capabilities: z.record(z.string(), z.string()),
  systemCalls: z.array(z.string()),
  setuid: z.object({ marked: z.boolean(), ran_as: z.array(z.string()) }),
  commands: z.array(z.string()),
  sockets: z.array(z.string()),
});
export type AttackReport = z.infer<typeof reportSchema>;

const PARTS = ["processes", "files", "rights", "main"];

/** A job that tries every attack. Its needles are reversed and in base64, or it would find them in its own order. */
export function attackJob(attack: Attack): Partial<Job> {
  const backwards = (text: string) => Buffer.from(Buffer.from(text).toReversed()).toString("base64");
  const needles = Object.fromEntries(Object.entries(attack.needles).map(([name, text]) => [name, backwards(text)]));
  const nothing = { agents: {}, paths: [], places: [], setuidPrograms: [], commands: [], sockets: [] };
  return {
    action: "script.python",
    params: {
      script: PARTS.map((part) => readFileSync(join(import.meta.dir, `${part}.py`), "utf8")).join("\n"),
    },
    values: { ATTACK: JSON.stringify({ ...nothing, ...attack, needles }) },
  };
}

export function attackReport(result: { output: Record<string, unknown> | null; error: unknown }): AttackReport {
  const stdout = result.output?.["stdout"];
  if (typeof stdout !== "string" || stdout === "") throw new Error(`the attack did not end: ${JSON.stringify(result)}`);
  return reportSchema.parse(JSON.parse(stdout));
}

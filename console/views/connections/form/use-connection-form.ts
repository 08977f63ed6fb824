import { useState } from "react";
import { ApiProblem } from "../../../api/problem.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { FieldError } from "../../../../schema/contract/problem.ts";
import { followUp } from "./config-fields.ts";
import { checkForm } from "./check-form.ts";
import type { ConfigValue, FormValues } from "./form-values.ts";
import { useLeftFields } from "./use-left-fields.ts";

/** A connection's form: its values, and the problems that this form and the service found. */
export function useConnectionForm(type: ConnectionType, initial: FormValues) {
  const [values, setValues] = useState(initial);
  /** Errors show at fields that were left once, and at all fields after an attempt to save. */
  const left = useLeftFields();
  const [attempted, setAttempted] = useState(false);
  const [reported, setReported] = useState<readonly FieldError[]>([]);
  const found = checkForm(type, values);

  const forget = (path: string) =>
    setReported((errors) => errors.filter((error) => error.path !== path && !error.path.startsWith(`${path}.`)));

  return {
    values,
    /** All problems: those of this form, and those that the service reported for fields that have not changed since. */
    errors: [...found, ...reported],
    isRight: found.length === 0,
    errorOf(path: string): string | null {
      const shown = [...reported, ...(attempted || left.has(path) ? found : [])];
      return shown.find((error) => error.path === path)?.message ?? null;
    },
    /** The visible errors of everything below a path. */
    errorsBelow(path: string): FieldError[] {
      const shown = [...reported, ...(attempted || left.has(path) ? found : [])];
      return shown.filter((error) => error.path.startsWith(path));
    },
    isShown: (path: string) => attempted || left.has(path),
    change(changes: Partial<FormValues>) {
      setValues((before) => ({ ...before, ...changes }));
      for (const field of Object.keys(changes)) forget(field);
      if (changes.runsOn !== undefined) {
        forget("agentId");
        forget("poolId");
      }
    },
    /** Undefined removes the field. */
    changeConfig(name: string, value: ConfigValue | undefined) {
      setValues((before) => {
        const { [name]: _before, ...rest } = before.config;
        const changed = value === undefined ? rest : { ...before.config, [name]: value };
        return { ...before, config: { ...changed, ...followUp(type, name, value, before.config) } };
      });
      forget(`config.${name}`);
    },
    leave: left.leave,
    press: left.press,
    attempt: () => setAttempted(true),
    /** Takes the field errors of the service's answer. An error without a field stays with the problem. */
    take(error: unknown) {
      setReported(error instanceof ApiProblem ? error.errors : []);
    },
    replace(next: FormValues) {
      setValues(next);
      setReported([]);
      setAttempted(false);
    },
  };
}

export type ConnectionFormState = ReturnType<typeof useConnectionForm>;

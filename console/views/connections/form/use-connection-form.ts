import { useState } from "react";
import { ApiProblem } from "../../../api/problem.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { FieldError } from "../../../../schema/contract/problem.ts";
import { followUp } from "./config-fields.ts";
import { checkForm } from "./check-form.ts";
import type { ConfigValue, FormValues } from "./form-values.ts";
import { useLeftFields } from "./use-left-fields.ts";

/** A connection's form: what is typed, and what is wrong with it, found here and by the service. */
export function useConnectionForm(type: ConnectionType, initial: FormValues) {
  const [values, setValues] = useState(initial);
  /** Errors show at fields that were left once, and at all after an attempt to save. */
  const left = useLeftFields();
  const [attempted, setAttempted] = useState(false);
  const [told, setReported] = useState<readonly FieldError[]>([]);
  const found = checkForm(type, values);

  const forget = (path: string) =>
    setReported((errors) => errors.filter((error) => error.path !== path && !error.path.startsWith(`${path}.`)));

  return {
    values,
    /** All that is wrong: what is found here, and what the service said of what has not changed since. */
    errors: [...found, ...told],
    isRight: found.length === 0,
    errorOf(path: string): string | null {
      const shown = [...told, ...(attempted || left.has(path) ? found : [])];
      return shown.find((error) => error.path === path)?.message ?? null;
    },
    /** The errors of everything below a path, as far as they may show already. */
    errorsBelow(path: string): FieldError[] {
      const shown = [...told, ...(attempted || left.has(path) ? found : [])];
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
    changeConfig(name: string, value: ConfigValue) {
      setValues((before) => ({
        ...before,
        config: { ...before.config, [name]: value, ...followUp(type, name, value, before.config) },
      }));
      forget(`config.${name}`);
    },
    leave: left.leave,
    press: left.press,
    attempt: () => setAttempted(true),
    /** Takes in what the service refused; what belongs to no field stays the problem's own. */
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

import { Radio, Stack } from "@mantine/core";
import type { RefObject } from "react";
import { hasTargets } from "../../../../schema/contract/connections/fields.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";
import type { ConfigValue, FormValues } from "./form-values.ts";

const text = connectionForms.hosts;

interface Props {
  config: FormValues["config"];
  /** The list that was typed before a person chose one host: it comes back with the other choice. */
  kept: RefObject<ConfigValue>;
  onChange: (targets: ConfigValue | undefined) => void;
}

/** Whether a connection leads to one host, or to one of several that each step names. */
export function OneOrSeveral({ config, kept, onChange }: Props) {
  const choose = (choice: string) => {
    if (choice === "several") return onChange(kept.current);
    kept.current = config["targets"] ?? "";
    onChange(undefined);
  };
  return (
    <Radio.Group label={text.label} value={hasTargets(config) ? "several" : "one"} onChange={choose}>
      <Stack gap={6} mt={6}>
        <Radio value="one" label={text.one} />
        <Radio value="several" label={text.several} description={text.severalHelp} />
      </Stack>
    </Radio.Group>
  );
}

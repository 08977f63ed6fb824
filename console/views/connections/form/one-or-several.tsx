import { Radio, Stack } from "@mantine/core";
import { hasTargets } from "../../../../schema/contract/connections/fields.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";
import type { ConfigValue, FormValues } from "./form-values.ts";

const text = connectionForms.hosts;

interface Props {
  config: FormValues["config"];
  onChange: (targets: ConfigValue | undefined) => void;
}

/** Whether a connection leads to one host, or to one of several that each step names. */
export function OneOrSeveral({ config, onChange }: Props) {
  return (
    <Radio.Group
      label={text.label}
      value={hasTargets(config) ? "several" : "one"}
      onChange={(choice) => onChange(choice === "several" ? "" : undefined)}
    >
      <Stack gap={6} mt={6}>
        <Radio value="one" label={text.one} />
        <Radio value="several" label={text.several} description={text.severalHelp} />
      </Stack>
    </Radio.Group>
  );
}

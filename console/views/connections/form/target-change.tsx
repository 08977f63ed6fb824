import { Alert, Text } from "@mantine/core";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { targetFieldLabel } from "../../../../schema/contract/target-labels.ts";
import type { FormValues } from "./form-values.ts";
import { targetEditOf } from "./target-edit.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";

const text = connectionForms.targetChange;

/** Says before saving how the changed fields affect the delivered credential. */
export function TargetChange({ connection, values }: { connection: ConnectionView; values: FormValues }) {
  const { takenBy, isGivenBack } = targetEditOf(connection, values);
  if (takenBy.length > 0) {
    return (
      <Alert color="yellow" variant="light" role="status" title={text.unusable.title}>
        <Text size="sm">{text.unusable.body(targetFieldLabel(takenBy))}</Text>
      </Alert>
    );
  }
  if (!isGivenBack) return null;
  return (
    <Alert color="teal" variant="light" role="status" title={text.usable.title}>
      <Text size="sm">{text.usable.body}</Text>
    </Alert>
  );
}

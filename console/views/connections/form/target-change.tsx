import { Alert, Text } from "@mantine/core";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { targetFieldLabel } from "../../../../schema/contract/target-labels.ts";
import type { FormValues } from "./form-values.ts";
import { targetEditOf } from "./target-edit.ts";

/** Says before saving how the changed fields affect the delivered credential. */
export function TargetChange({ connection, values }: { connection: ConnectionView; values: FormValues }) {
  const { takenBy, isGivenBack } = targetEditOf(connection, values);
  if (takenBy.length > 0) {
    return (
      <Alert color="yellow" variant="light" role="status" title="This makes the credential unusable">
        <Text size="sm">
          Changing the {targetFieldLabel(takenBy)} makes the delivered credential unusable until it is delivered again:
          it was encrypted for the present target.
        </Text>
      </Alert>
    );
  }
  if (!isGivenBack) return null;
  return (
    <Alert color="teal" variant="light" role="status" title="This makes the credential usable again">
      <Text size="sm">
        The credential was delivered for this target. After saving, the agents use it again without a delivery.
      </Text>
    </Alert>
  );
}

import { Text } from "@mantine/core";
import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import { targetLines } from "../../../../schema/contract/target-labels.ts";
import { credentials } from "../../../strings/en/credentials.ts";

interface Props {
  target: CredentialTarget;
  label?: string;
}

/** The target of a credential, field by field. The person who delivers the credential confirms it. */
export function TargetText({ target, label = credentials.target.label }: Props) {
  return (
    <dl
      aria-label={label}
      style={{ display: "grid", gridTemplateColumns: "auto 1fr", columnGap: 12, rowGap: 2, margin: 0 }}
    >
      {targetLines(target).map(({ label: field, value }) => (
        <div key={field} style={{ display: "contents" }}>
          <Text component="dt" size="sm" c="dimmed">
            {field}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: "anywhere", whiteSpace: "pre-line" }}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}

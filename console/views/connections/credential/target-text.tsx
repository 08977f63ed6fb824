import { Text } from "@mantine/core";
import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import { targetLines } from "../../../../schema/contract/target-words.ts";

/** Where a credential will be used, field by field: whoever delivers it confirms that. */
export function TargetText({ target }: { target: CredentialTarget }) {
  return (
    <dl
      aria-label="Where the credential will be used"
      style={{ display: "grid", gridTemplateColumns: "auto 1fr", columnGap: 12, rowGap: 2, margin: 0 }}
    >
      {targetLines(target).map(({ label, value }) => (
        <div key={label} style={{ display: "contents" }}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: "anywhere" }}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}

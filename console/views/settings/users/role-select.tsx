import { Radio, Stack } from "@mantine/core";
import type { Role } from "../../../../schema/contract/people.ts";
import { settings as text } from "../../../strings/en/settings.ts";

const ROLES = ["viewer", "operator", "editor", "admin"] as const satisfies readonly Role[];

/** A choice of the role, with the purpose of each. */
export function RoleSelect({
  value,
  onChange,
  error,
}: {
  value: Role;
  onChange: (role: Role) => void;
  error: string | null;
}) {
  return (
    <Radio.Group
      label={text.role}
      value={value}
      onChange={(chosen) => onChange(ROLES.find((role) => role === chosen) ?? value)}
      error={error}
    >
      <Stack gap={8} mt={6}>
        {ROLES.map((role) => (
          <Radio key={role} value={role} label={role} description={text.purposes[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

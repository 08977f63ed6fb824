import { Checkbox } from "@mantine/core";
import { PAGE_SIZE_MAX } from "../../../schema/limits.ts";
import { useList } from "../../api/queries.ts";
import { settings } from "../../strings/en/settings.ts";

const text = settings.keepTokens;

interface KeepTokensProps {
  /** The owner of the tokens: the signed-in user, or the user with this id. */
  owner: "me" | { id: string };
  onChange: (keep: boolean) => void;
}

/** A choice to keep API tokens valid after the change. Not shown for users without tokens. */
export function KeepTokens({ owner, onChange }: KeepTokensProps) {
  const isMine = owner === "me";
  const tokens = useList("/api/v1/auth/tokens", { query: { owner: isMine ? owner : owner.id, limit: PAGE_SIZE_MAX } });
  const count = tokens.items?.length;
  if (count === 0) return null;
  return (
    <Checkbox
      label={isMine ? text.mine : text.theirs}
      description={text.otherwise(isMine, count, tokens.hasNextPage)}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

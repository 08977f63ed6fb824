import { Checkbox } from "@mantine/core";
import { PAGE_SIZE_MAX } from "../../../schema/limits.ts";
import { useList } from "../../api/queries.ts";

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
      label={isMine ? "Keep my API tokens" : "Keep this user's API tokens"}
      description={`Otherwise ${endedTokens(count, tokens.hasNextPage, isMine)} for good.`}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function endedTokens(count: number | undefined, isMore: boolean, isMine: boolean): string {
  const whose = isMine ? "your" : "their";
  if (count === undefined) return `${whose} API tokens end`;
  if (isMore) return `${whose} API tokens, more than ${count}, end`;
  return count === 1 ? `${whose} API token ends` : `${whose} ${count} API tokens end`;
}

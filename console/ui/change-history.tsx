import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { useCan } from "../app/session.tsx";
import { common } from "../strings/en/common.ts";

/** The way from a thing to its entries in the audit log, for those who may read it. */
export function ChangeHistory({ id }: { id: string }) {
  if (!useCan("admin")) return null;
  return (
    <Anchor component={Link} href={`/settings/audit?subjectId=${id}`} inherit ms="xs">
      {common.changeHistory}
    </Anchor>
  );
}

import { Anchor, Stack } from "@mantine/core";
import { Link } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { PAGE_SIZE_MAX } from "../../../schema/limits.ts";
import { isInScope } from "../../../worker/domain/alerts/applies.ts";
import { useAll } from "../../api/use-all.ts";
import { workflows } from "../../strings/en/workflows.ts";

const text = workflows.overview;

/** The rules that report events of a workflow. */
export function Rules({ workflow }: { workflow: WorkflowView }) {
  const all = useAll("/api/v1/automation/notification-rules", { query: { limit: PAGE_SIZE_MAX } });
  const rules = all.items?.filter((rule) => rule.enabled && "scope" in rule && isInScope(rule.scope, workflow));
  const href = "/settings/notifications";
  if (rules?.length === 0) return all.isWhole ? <Links to={[{ id: "none", href, name: text.noRule }]} /> : "…";
  return rules === undefined ? "…" : <Links to={rules.map(({ id, name }) => ({ id, href, name }))} />;
}

/** The workflows that a failed run of a workflow starts. */
export function FailureWorkflows({ id }: { id: string }) {
  const all = useAll("/api/v1/automation/workflows", { query: { afterFailureOf: id, limit: PAGE_SIZE_MAX } });
  if (all.items === undefined) return "…";
  if (all.items.length === 0) return text.noFailureWorkflow;
  return (
    <Links to={all.items.map((one) => ({ id: one.id, href: `/workflows/${one.id}`, name: text.starts(one.name) }))} />
  );
}

function Links({ to }: { to: readonly { id: string; href: string; name: string }[] }) {
  return (
    <Stack gap={0} align="flex-start">
      {to.map(({ id, href, name }) => (
        <Anchor key={id} component={Link} href={href} size="sm">
          {name}
        </Anchor>
      ))}
    </Stack>
  );
}

import { Group, Text } from "@mantine/core";
import DiffView from "../../../ui/diff-view.tsx";
import { isSameDraft } from "../model/same.ts";
import type { Draft } from "../model/commands.ts";
import { writeDraft } from "./draft-text.ts";
import { designerSaving } from "../../../strings/en/designer-saving.ts";
import classes from "./yaml.module.css";

/** Two drafts as YAML: side by side on wide screens, one below the other on narrow ones. */
export default function TextDifference(props: { before: Draft; after: Draft; labels: readonly [string, string] }) {
  const { before, after, labels } = props;
  const [labelBefore, labelAfter] = labels;
  if (isSameDraft(before, after)) return <Text size="sm">{designerSaving.difference.none}</Text>;
  return (
    <div className={classes["difference"]}>
      <Group grow visibleFrom="md">
        <Text size="sm" fw={600}>
          {labelBefore}
        </Text>
        <Text size="sm" fw={600}>
          {labelAfter}
        </Text>
      </Group>
      <DiffView
        before={{ label: labelBefore, text: writeDraft(before) }}
        after={{ label: labelAfter, text: writeDraft(after) }}
        whole={false}
      />
    </div>
  );
}

import { Badge, Group, Tabs, Text } from "@mantine/core";
import type { NodePreview } from "../../../../schema/contract/dry-run.ts";
import { Suspense, lazy } from "react";
import type { ReactNode } from "react";
import { LoadingState } from "../../../ui/states.tsx";
import { useDesigner } from "../designer-context.ts";
import type { Checks } from "../use-checks.ts";
import { NodePanel } from "./node-panel.tsx";
import { ProblemCounts } from "./problem-counts.tsx";
import { ProblemList } from "./problem-list.tsx";
import { common } from "../../../strings/en/common.ts";
import { designer as text } from "../../../strings/en/designer.ts";
import { designerSaving } from "../../../strings/en/designer-saving.ts";
import classes from "./panel.module.css";

const TryPanel = lazy(() => import("../../../workflow-forms/try-panel.tsx"));
const YamlPane = lazy(() => import("../yaml/yaml-pane.tsx"));

export type PanelTab = "edit" | "problems" | "try" | "yaml";

interface SidePanelProps {
  tab: PanelTab;
  /** Undefined where other controls replace the tabs. */
  onTab?: (tab: PanelTab) => void;
  /** Beside the tabs. */
  foldButton?: ReactNode;
  checks: Checks;
  onPreview: (preview: NodePreview[] | null) => void;
}

/** The panel next to the canvas: the form, the problems, a dry run, or the draft as YAML. */
export function SidePanel({ tab, onTab, foldButton, checks, onPreview }: SidePanelProps) {
  const { draft, shown } = useDesigner();
  return (
    <Tabs
      value={tab}
      onChange={(value) => onTab?.(value === "problems" || value === "try" || value === "yaml" ? value : "edit")}
      className={classes["panel"] ?? ""}
      keepMounted={false}
    >
      {onTab === undefined ? null : (
        <div className={classes["tabs"]}>
          <Tabs.List className={classes["list"] ?? ""}>
            <Tabs.Tab value="edit">{common.edit}</Tabs.Tab>
            <Tabs.Tab value="problems">
              <Group gap={6} wrap="nowrap">
                {text.tabs.problems}
                {checks.paused === null ? null : (
                  <Badge size="sm" color="yellow" variant="light" tt="none">
                    {text.problems.paused}
                  </Badge>
                )}
                <ProblemCounts problems={shown} />
              </Group>
            </Tabs.Tab>
            <Tabs.Tab value="try">{text.tabs.try}</Tabs.Tab>
            <Tabs.Tab value="yaml">{text.tabs.yaml}</Tabs.Tab>
          </Tabs.List>
          {foldButton}
        </div>
      )}
      <Tabs.Panel value="edit" className={classes["content"] ?? ""}>
        <NodePanel />
      </Tabs.Panel>
      <Tabs.Panel value="problems" className={classes["content"] ?? ""}>
        <ProblemList checks={checks} />
      </Tabs.Panel>
      <Tabs.Panel value="try" className={classes["content"] ?? ""}>
        {draft.definition.nodes.length === 0 ? (
          <Text size="sm" c="dimmed">
            {text.nothingToTry}
          </Text>
        ) : (
          <Suspense fallback={<LoadingState />}>
            <TryPanel draft={draft} onPreview={onPreview} />
          </Suspense>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="yaml" className={classes["content"] ?? ""} data-tight>
        <Suspense fallback={<LoadingState label={designerSaving.yaml.loading} />}>
          <YamlPane />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}

import { Card, Tabs, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { Suspense, lazy, useMemo, useRef } from "react";
import { useSearchParams } from "wouter";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { ErrorState, LoadingState } from "../../ui/states.tsx";
import { FlatRuns } from "./flat-runs.tsx";
import { chosenBy, hasFailed, mostUseful, occurrences } from "./iterations.ts";
import type { IterationPath } from "./iterations.ts";
import { nextFailure } from "./next-failure.ts";
import { graphStates } from "./node-states.ts";
import { RunDetail } from "./run-detail.tsx";
import { RunList } from "./run-list.tsx";
import type { useRanVersion } from "./use-definition.ts";
import { executionTimeline as text } from "../../strings/en/execution-timeline.ts";
import { executions as words } from "../../strings/en/executions.ts";
import classes from "./executions.module.css";

const ItemTable = lazy(() => import("./item-table.tsx"));
const TimelineTab = lazy(() => import("./timeline/timeline-tab.tsx"));

/** As in executions.module.css. */
const TWO_COLUMNS = "(min-width: 75em)";

interface ExecutionBodyProps {
  execution: ExecutionView;
  version: ReturnType<typeof useRanVersion>;
  /** The node run whose error is in the page's banner. */
  inBanner: string | null;
}

/** The node runs on the graph of the version that ran, as a list, and one of them in full. */
export function ExecutionBody({ execution, version, inBanner }: ExecutionBodyProps) {
  if (version.data === undefined) {
    return version.error === null ? (
      <LoadingState />
    ) : (
      <>
        <ErrorState error={version.error} retry={version.refetch} />
        <FlatRuns execution={execution} inBanner={inBanner} />
      </>
    );
  }
  if (version.data === null) {
    return (
      <>
        <Text size="sm">{words.page.noGraph}</Text>
        <FlatRuns execution={execution} inBanner={inBanner} />
      </>
    );
  }
  return <OnGraph execution={execution} definition={version.data.definition} inBanner={inBanner} />;
}

interface OnGraphProps {
  execution: ExecutionView;
  definition: Definition;
  inBanner: string | null;
}

function OnGraph({ execution, definition, inBanner }: OnGraphProps) {
  const { tab, showTab, nodeId, path, choose } = useChoice();
  const found = useMemo(
    () => occurrences(definition, execution.nodeRuns, chosenBy(definition, nodeId, path)),
    [definition, execution.nodeRuns, nodeId, path],
  );
  const states = useMemo(() => graphStates(found), [found]);
  const chosen = found.find(({ node }) => node.id === nodeId);
  const shown = chosen ?? mostUseful(found);
  const detail = useRef<HTMLDivElement>(null);
  const pick = (id: string | null, at: IterationPath) => {
    choose(id, at);
    // In the one-column layout the details are far below the graph.
    if (id !== null && !window.matchMedia(TWO_COLUMNS).matches) detail.current?.scrollIntoView({ block: "start" });
  };
  const showFailure = (direction: 1 | -1) => {
    const next = nextFailure(found, shown, direction);
    if (next === null) return;
    const there = occurrences(definition, execution.nodeRuns, chosenBy(definition, next.nodeId, next.path));
    const failed = there.find(
      ({ node, run, handled }) =>
        node.type !== "forEach" &&
        run !== null &&
        !handled &&
        hasFailed(run.status) &&
        isWithin(next.path, run.iteration),
    );
    pick(failed?.node.id ?? next.nodeId, failed?.path ?? next.path);
  };
  useHotkeys([
    ["n", () => showFailure(1)],
    ["shift+n", () => showFailure(-1)],
  ]);
  const select = (id: string | null) => pick(id, found.find(({ node }) => node.id === id)?.path ?? []);
  return (
    <div className={classes["columns"]}>
      <Tabs value={tab} onChange={showTab} keepMounted={false}>
        <Tabs.List aria-label={text.tabs}>
          <Tabs.Tab value="graph">{text.graph}</Tabs.Tab>
          <Tabs.Tab value="timeline">{text.timeline}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="graph" pt="md">
          <GraphView
            definition={definition}
            states={states}
            selected={shown?.node.id ?? null}
            onSelect={select}
            label={words.page.graph}
            height="min(30rem, 55vh)"
          />
          <Card withBorder p={0} mt="md">
            <RunList
              found={found}
              selected={shown?.node.id ?? null}
              inBanner={inBanner}
              onSelect={pick}
              onIteration={choose}
              onNextFailure={() => showFailure(1)}
            />
          </Card>
        </Tabs.Panel>
        <Tabs.Panel value="timeline" pt="md">
          <Suspense fallback={<LoadingState />}>
            <TimelineTab
              execution={execution}
              definition={definition}
              nodeId={nodeId}
              path={path}
              shownRunId={shown?.run?.id ?? null}
              onSelect={pick}
            />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
      <Card ref={detail} withBorder className={classes["detail"] ?? ""}>
        {chosen === undefined && execution.status === "running" ? (
          <Text size="xs" c="dimmed" mb="xs">
            {words.page.following}
          </Text>
        ) : null}
        {shown === null ? (
          <Text size="sm" c="dimmed">
            {words.page.nothingRan}
          </Text>
        ) : (
          <RunDetail
            key={shown.run?.id ?? shown.node.id}
            node={shown.node}
            run={shown.run}
            nodeId={shown.node.id}
            workflowId={execution.workflowId}
            handled={shown.handled}
            inBanner={shown.run !== null && shown.run.id === inBanner}
          >
            {shown.node.type === "forEach" && shown.iterations.length > 0 ? (
              <Suspense fallback={<LoadingState />}>
                <ItemTable execution={execution} definition={definition} node={shown.node} path={shown.path} />
              </Suspense>
            ) : null}
          </RunDetail>
        )}
      </Card>
    </div>
  );
}

function isWithin(outer: IterationPath, inner: IterationPath = []): boolean {
  return outer.every((index, level) => inner[level] === index);
}

/** The tab, and the selected node with its iterations, kept in the URL so a person can share them. */
function useChoice() {
  const [query, setQuery] = useSearchParams();
  const tab = query.get("tab") === "timeline" ? "timeline" : "graph";
  const showTab = (value: string | null) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete("tab");
        if (value === "timeline") next.set("tab", value);
        return next;
      },
      { replace: true },
    );
  const nodeId = query.get("node");
  const iteration = query.get("iteration") ?? "";
  const path = useMemo(
    (): IterationPath => (/^\d+(?:\.\d+)*$/u.test(iteration) ? iteration.split(".").map(Number) : []),
    [iteration],
  );
  const choose = (id: string | null, at: IterationPath) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete("node");
        next.delete("iteration");
        if (id !== null) next.set("node", id);
        if (id !== null && at.length > 0) next.set("iteration", at.join("."));
        return next;
      },
      { replace: true },
    );
  return { tab, showTab, nodeId, path, choose };
}

import { ActionIcon, Anchor, Box, Drawer, Group, SegmentedControl, Title } from "@mantine/core";
import { useDocumentTitle, useMediaQuery } from "@mantine/hooks";
import { IconPencil } from "@tabler/icons-react";
import { ReactFlowProvider } from "@xyflow/react";
import { useCallback, useEffect, useState } from "react";
import type { MouseEvent as ReactMouseEvent } from "react";
import { Link, useSearchParams } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { useCan } from "../../app/session.tsx";
import { HelpLink } from "../../ui/help-link.tsx";
import { Canvas } from "./canvas/canvas.tsx";
import type { CanvasHandle } from "./canvas/use-canvas-handle.ts";
import { nodeElement } from "./canvas/use-canvas-handle.ts";
import { DesignerContext } from "./designer-context.ts";
import type { AddWhere } from "./designer-context.ts";
import { ConnectDialog } from "./dialogs/connect-dialog.tsx";
import { PaletteDialog } from "./dialogs/palette-dialog.tsx";
import { ShortcutsDialog } from "./dialogs/shortcuts-dialog.tsx";
import type { History } from "./model/history.ts";
import { Palette } from "./palette/palette.tsx";
import { Panels, usePanels } from "./panels/panels.tsx";
import { NodePanel } from "./panel/node-panel.tsx";
import { ProblemCounts } from "./panel/problem-counts.tsx";
import { SidePanel } from "./panel/side-panel.tsx";
import type { PanelTab } from "./panel/side-panel.tsx";
import { TRIGGER_ID } from "./model/trigger.ts";
import { NodeMenu } from "./node-menu.tsx";
import type { ScreenPoint } from "./node-menu.tsx";
import { NOTHING, onlyNode } from "./selection.ts";
import { useSaving } from "./save/use-saving.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useDesignerKeys } from "./use-designer-keys.ts";
import { useDesignerState } from "./use-designer-state.ts";
import { common } from "../../strings/en/common.ts";
import { shell } from "../../strings/en/shell.ts";
import { designer as text } from "../../strings/en/designer.ts";
import classes from "./designer.module.css";

interface DesignerProps {
  workflow: WorkflowView;
  initial: History;
}

/** The designer: canvas, form and YAML edit one draft. */
export function Designer({ workflow, initial }: DesignerProps) {
  const readOnly = !useCan("automation:write");
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  const wide = useMediaQuery("(min-width: 80em)", true, { getInitialValueInEffect: false });
  const [where, setWhere] = useState<AddWhere | null>(null);
  const [from, setFrom] = useState<string | null>(null);
  const [help, setHelp] = useState(false);
  const [tab, setTab] = useState<PanelTab>("edit");
  const [drawer, setDrawer] = useState(false);
  const [menuAt, setMenuAt] = useState<ScreenPoint | null>(null);
  const panels = usePanels();
  const designer = useDesignerState(initial, {
    readOnly,
    openPalette: (target = {}) => setWhere(target),
    openConnect: setFrom,
    openForm: () => {
      setTab("edit");
      if (narrow) setDrawer(true);
      else panels.fold("side", false);
    },
  });
  const { state, boxes, glides, checks, message, canvas: handle, onPreview } = designer;
  useAskedProblem(designer);
  const openTab = (next: PanelTab) => {
    // The list has every problem, and so has the form after a look at the list.
    if (next === "problems") designer.showAll();
    panels.fold("side", false);
    setTab(next);
  };
  const saving = useSaving(
    workflow,
    designer,
    () => openTab("problems"),
    () => openTab("yaml"),
  );
  const title = state.draft.name.trim() === "" ? text.untitled : state.draft.name;
  useDocumentTitle(shell.tab(title));

  const openForm = () => {
    setTab("edit");
    if (narrow) setDrawer(true);
    else {
      const [id] = state.selection.nodes;
      const covers = panels.chosen.folded.side;
      panels.fold("side", false);
      focusForm();
      if (covers && id !== undefined) requestAnimationFrame(() => state.bring(id));
    }
  };
  const openHead = () => {
    state.select(NOTHING);
    openForm();
  };
  const keys = useDesignerKeys(designer, {
    enabled: where === null && from === null && !help && !saving.asks,
    save: saving.save,
    help: () => setHelp(true),
    edit: openForm,
    fit: () => handle.current?.fit(),
    menu: (id) => {
      const box = nodeElement(id)?.getBoundingClientRect();
      if (box !== undefined) setMenuAt({ x: box.left + box.width / 2, y: box.top + box.height / 2 });
    },
  });
  const onReady = useCallback(
    (ready: CanvasHandle) => {
      handle.current = ready;
    },
    [handle],
  );
  const onContextMenu = (event: ReactMouseEvent) => {
    const card = event.target instanceof Element ? event.target.closest<HTMLElement>(".react-flow__node") : null;
    const id = card?.dataset["id"];
    if (id === undefined || id === TRIGGER_ID) return;
    event.preventDefault();
    state.select((before) => (before.nodes.includes(id) ? before : onlyNode(id)));
    setMenuAt({ x: event.clientX, y: event.clientY });
  };
  const canvas = (
    <Canvas
      boxes={boxes}
      glides={glides}
      onReady={onReady}
      withMap={wide && tab !== "yaml"}
      onOpen={openForm}
      openOnTap={narrow}
      message={message}
    />
  );
  return (
    <DesignerContext value={state}>
      <div className={classes["designer"]}>
        <Group gap={4} wrap="nowrap" flex="none">
          <Title order={1} size="h3" className={classes["title"] ?? ""} title={title}>
            {title}
          </Title>
          {readOnly ? null : (
            <ActionIcon variant="subtle" color="gray" aria-label={text.properties} onClick={openHead}>
              <IconPencil size={16} aria-hidden />
            </ActionIcon>
          )}
          {narrow ? null : saving.status}
          <Anchor component={Link} href={`/workflows/${workflow.id}`} size="sm" ms="xs" flex="none">
            {text.backToWorkflow}
          </Anchor>
          <Box ms="auto" flex="none">
            <HelpLink />
          </Box>
        </Group>
        {narrow ? saving.status : null}
        <Toolbar {...saving.toolbar} onHelp={() => setHelp(true)} onArrange={keys.arrange} />
        {saving.notices}
        {narrow ? (
          <>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-label={text.view}
              value={tab}
              onChange={(value) =>
                openTab(value === "problems" || value === "try" || value === "yaml" ? value : "edit")
              }
              data={[
                { value: "edit", label: text.tabs.canvas },
                {
                  value: "problems",
                  label: (
                    <Group component="span" gap={4} wrap="nowrap" justify="center">
                      {text.tabs.problems}
                      <ProblemCounts problems={state.shown} />
                    </Group>
                  ),
                },
                { value: "try", label: text.tabs.try },
                { value: "yaml", label: text.tabs.yaml },
              ]}
            />
            <Box className={classes["body"] ?? ""}>
              <ReactFlowProvider>
                {tab === "edit" ? (
                  <div className={classes["canvas"]} onContextMenu={onContextMenu}>
                    {canvas}
                  </div>
                ) : (
                  <SidePanel tab={tab} checks={checks} onPreview={onPreview} />
                )}
              </ReactFlowProvider>
            </Box>
            <Drawer
              opened={drawer && tab === "edit"}
              onClose={() => setDrawer(false)}
              position="bottom"
              size="70%"
              title={common.edit}
              // The full-screen editor inside takes Escape first.
              closeOnEscape={false}
              onKeyDown={(event) => {
                if (event.key === "Escape" && !event.defaultPrevented) setDrawer(false);
              }}
            >
              <NodePanel />
            </Drawer>
          </>
        ) : (
          <Panels
            panels={panels}
            palette={
              wide && !readOnly && tab !== "yaml"
                ? (foldButton) => <Palette onTake={(kind) => state.add(kind)} foldButton={foldButton} />
                : null
            }
            canvas={
              <div className={classes["canvas"]} onContextMenu={onContextMenu}>
                <ReactFlowProvider>{canvas}</ReactFlowProvider>
              </div>
            }
            side={(foldButton) => (
              <SidePanel tab={tab} onTab={openTab} foldButton={foldButton} checks={checks} onPreview={onPreview} />
            )}
            sideId={tab === "yaml" ? "yaml" : "form"}
            folded={<ProblemCounts problems={state.shown} />}
          />
        )}
      </div>
      <PaletteDialog
        where={where}
        onClose={() => setWhere(null)}
        onTake={(kind, target) => {
          setWhere(null);
          state.add(kind, target);
        }}
      />
      <NodeMenu at={menuAt} onClose={() => setMenuAt(null)} onEdit={openForm} />
      <ConnectDialog from={from} onClose={() => setFrom(null)} />
      <ShortcutsDialog opened={help} onClose={() => setHelp(false)} />
      {saving.dialogs}
    </DesignerContext>
  );
}

/** Opens the problem that a link names: `?problem=trigger.expression`. */
function useAskedProblem({ state, checks }: ReturnType<typeof useDesignerState>): void {
  const [search, setSearch] = useSearchParams();
  const asked = search.get("problem");
  const isChecked = checks.checked !== null;
  useEffect(() => {
    if (asked === null || !isChecked) return;
    const found = state.problems.find(({ path }) => path === asked);
    if (found !== undefined) state.openProblem(found);
    setSearch((before) => (before.delete("problem"), before), { replace: true });
    // Runs once for each link.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [asked, isChecked]);
}

/** Focuses the first field of the form next to the canvas after it is rendered. */
function focusForm(): void {
  requestAnimationFrame(() =>
    document
      .querySelector<HTMLElement>(
        "[data-panel-form] :is(input:not([type=hidden]), textarea, [contenteditable=true], select)",
      )
      ?.focus(),
  );
}

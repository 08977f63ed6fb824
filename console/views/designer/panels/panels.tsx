import { ActionIcon, Box } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconLayoutSidebarRightCollapse,
  IconLayoutSidebarRightExpand,
} from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import type { ReactNode, RefObject } from "react";
import { usePersonal } from "../../../app/use-personal.ts";
import { designer as text } from "../../../strings/en/designer.ts";
import { Divider } from "./divider.tsx";
import { FOLDED_PX, LIMITS, readPanels, shownPanel } from "./widths.ts";
import type { PanelId, Panels as Chosen } from "./widths.ts";
import designerClasses from "../designer.module.css";
import classes from "./panels.module.css";

type Side = keyof Chosen["folded"];

/** The widths of the panels and which are folded, kept for each person. */
export function usePanels() {
  const [chosen, setChosen] = usePersonal("designer-panels", readPanels);
  return {
    chosen,
    resize: (id: PanelId, width: number | undefined) =>
      setChosen({ ...chosen, widths: { ...chosen.widths, [id]: width } }),
    fold: (side: Side, isFolded: boolean) => {
      if (chosen.folded[side] !== isFolded) setChosen({ ...chosen, folded: { ...chosen.folded, [side]: isFolded } });
    },
  };
}

interface PanelsProps {
  panels: ReturnType<typeof usePanels>;
  /** Null where the palette is in a dialog. */
  palette: ((foldButton: ReactNode) => ReactNode) | null;
  canvas: ReactNode;
  side: (foldButton: ReactNode) => ReactNode;
  /** What the panel on the right shows. */
  sideId: Exclude<PanelId, "palette">;
  /** Shown on the right when that panel is folded. */
  folded: ReactNode;
}

/** The canvas with the palette on its left and the form on its right, which a person can resize and fold. */
export function Panels({ panels, palette, canvas, side, sideId, folded }: PanelsProps) {
  const { chosen, resize, fold } = panels;
  const { ref, width: total } = useElementSize();
  // The width under the pointer is stored when the pointer is released.
  const [dragged, setDragged] = useState<Chosen["widths"]>({});
  const now = { ...chosen, widths: { ...chosen.widths, ...dragged } };
  const pressed = useRef<Side | null>(null);
  const onFold = (side: Side, isFolded: boolean) => {
    pressed.current = side;
    fold(side, isFolded);
  };
  const foldButton = (side: Side) => (
    <FoldButton side={side} isFolded={chosen.folded[side]} pressed={pressed} onFold={onFold} />
  );
  const onResize = (id: PanelId) => (width: number | undefined, done: boolean) => {
    setDragged(done ? {} : { [id]: width });
    if (done) resize(id, width);
  };
  const sideIsFolded = chosen.folded.side;
  const paletteIsFolded = chosen.folded.palette;
  // Inside its border; unknown in the first frame.
  const room = total === 0 ? Number.MAX_SAFE_INTEGER : total - 2;
  const left = shownPanel("palette", now, room, sideIsFolded ? FOLDED_PX : LIMITS[sideId].min);
  const leftWidth = palette === null ? 0 : paletteIsFolded ? FOLDED_PX : left.width;
  const right = shownPanel(sideId, now, room, leftWidth);
  return (
    <Box ref={ref} className={designerClasses["body"] ?? ""}>
      {palette === null ? null : (
        <aside
          id="designer-palette"
          className={classes["panel"]}
          data-folded={paletteIsFolded || undefined}
          data-side="left"
          aria-label={text.panels.palette}
          style={{ width: leftWidth }}
        >
          {paletteIsFolded ? foldButton("palette") : palette(foldButton("palette"))}
        </aside>
      )}
      {palette === null || paletteIsFolded ? null : (
        <Divider
          label={text.panels.resizePalette}
          controls="designer-palette"
          panel={left}
          edge="right"
          onResize={onResize("palette")}
          onFold={() => onFold("palette", true)}
        />
      )}
      {canvas}
      {sideIsFolded ? null : (
        <Divider
          label={text.panels.resizeDetails}
          controls="designer-details"
          panel={right}
          edge="left"
          onResize={onResize(sideId)}
          onFold={() => onFold("side", true)}
        />
      )}
      <aside
        id="designer-details"
        className={classes["panel"]}
        data-folded={sideIsFolded || undefined}
        data-side="right"
        aria-label={text.panels.details}
        style={{ width: sideIsFolded ? FOLDED_PX : right.width }}
      >
        {sideIsFolded ? (
          <>
            {foldButton("side")}
            {folded}
          </>
        ) : (
          side(foldButton("side"))
        )}
      </aside>
    </Box>
  );
}

const ICONS = {
  palette: [IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand],
  side: [IconLayoutSidebarRightCollapse, IconLayoutSidebarRightExpand],
} as const satisfies Record<Side, unknown>;

interface FoldButtonProps {
  side: Side;
  isFolded: boolean;
  /** The panel that was just folded or unfolded: its new button takes the focus. */
  pressed: RefObject<Side | null>;
  onFold: (side: Side, isFolded: boolean) => void;
}

function FoldButton({ side, isFolded, pressed, onFold }: FoldButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (pressed.current !== side) return;
    pressed.current = null;
    button.current?.focus();
  }, [pressed, side, isFolded]);
  const Icon = ICONS[side][isFolded ? 1 : 0];
  const label = text.panels[isFolded ? "unfold" : "fold"][side];
  return (
    <ActionIcon
      ref={button}
      variant="subtle"
      color="gray"
      aria-label={label}
      aria-expanded={!isFolded}
      title={label}
      onClick={() => onFold(side, !isFolded)}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}

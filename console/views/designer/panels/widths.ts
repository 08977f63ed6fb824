import "../../../api/zod-config.ts";
import { z } from "zod";

/** A panel beside the canvas. The YAML takes the form's place and has its own width. */
export type PanelId = "palette" | "form" | "yaml";

export const LIMITS = {
  palette: { min: 168, usual: 232, max: 420 },
  form: { min: 320, usual: 376, max: 900 },
  yaml: { min: 320, usual: 544, max: 1_200 },
} as const satisfies Record<PanelId, { min: number; usual: number; max: number }>;

/** The least width of the canvas, which no panel may take. */
export const CANVAS_MIN_PX = 320;
/** A folded panel is a bar with the button that unfolds it. */
export const FOLDED_PX = 36;

const width = z.number().optional().catch(undefined);
const folded = z.boolean().catch(false);
const panelsSchema = z
  .object({
    widths: z.object({ palette: width, form: width, yaml: width }).catch({}),
    folded: z.object({ palette: folded, side: folded }).catch({ palette: false, side: false }),
  })
  .catch({ widths: {}, folded: { palette: false, side: false } });

/** The chosen widths in pixels, and which panels are folded. */
export type Panels = z.infer<typeof panelsSchema>;

export function readPanels(stored: unknown): Panels {
  return panelsSchema.parse(stored);
}

export interface ShownPanel {
  width: number;
  min: number;
  max: number;
}

/** The width of a panel beside the canvas, with its bounds, when the other panel takes `beside` of `total`. */
export function shownPanel(id: PanelId, { widths }: Panels, total: number, beside: number): ShownPanel {
  const { min, usual, max } = LIMITS[id];
  const room = Math.max(min, Math.min(max, total - beside - CANVAS_MIN_PX));
  return { width: Math.round(Math.min(room, Math.max(min, widths[id] ?? usual))), min, max: Math.round(room) };
}

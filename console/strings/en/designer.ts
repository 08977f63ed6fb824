/** The designer of a workflow. */
export const designer = {
  panels: {
    palette: "Palette",
    details: "Details",
    resizePalette: "Resize the palette",
    resizeDetails: "Resize the details",
    fold: { palette: "Hide the palette", side: "Hide the details" },
    unfold: { palette: "Show the palette", side: "Show the details" },
  },
};

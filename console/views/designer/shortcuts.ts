/** The keyboard shortcuts in the "?" dialog. `use-shortcuts.ts` implements them. */
export const SHORTCUTS: readonly { group: string; keys: readonly { keys: string; hint: string }[] }[] = [
  {
    group: "Everywhere",
    keys: [
      { keys: "Ctrl S", hint: "Save the draft now" },
      { keys: "Ctrl Z", hint: "Undo (in a field: undo typing)" },
      { keys: "Ctrl Shift Z", hint: "Redo" },
      { keys: "Ctrl K", hint: "Search pages, things and commands" },
      { keys: "?", hint: "Show the keyboard shortcuts" },
    ],
  },
  {
    group: "In the YAML",
    keys: [{ keys: "Esc, then Tab", hint: "Leave the editor; Tab alone indents" }],
  },
  {
    group: "On the canvas",
    keys: [
      { keys: "↑ ↓", hint: "Previous or next step; into and out of a forEach" },
      { keys: "← →", hint: "Step to the left or right" },
      { keys: "Enter", hint: "Edit the selected step" },
      { keys: "A", hint: "Add a step after the selected one" },
      { keys: "Shift A", hint: "Add a step inside the selected forEach" },
      { keys: "C", hint: "Connect the selected step to another" },
      { keys: "Delete", hint: "Remove the selection" },
      { keys: "Ctrl D", hint: "Duplicate the selection" },
      { keys: "Ctrl C, Ctrl X, Ctrl V", hint: "Copy, cut, paste; also into another workflow" },
      { keys: "Ctrl A", hint: "Select all steps" },
      { keys: "Shift ↑ ↓ ← →", hint: "Move the selected step" },
      { keys: "Shift F10", hint: "Open the menu of the selection" },
      { keys: "L", hint: "Arrange all steps automatically" },
      { keys: "F", hint: "Show the whole workflow" },
      { keys: "Esc", hint: "Clear the selection" },
    ],
  },
];

/** The keyboard shortcuts in the "?" dialog. `use-shortcuts.ts` implements them. */
export const SHORTCUTS: readonly { group: string; keys: readonly { keys: string; hint: string }[] }[] = [
  {
    group: "Everywhere",
    keys: [
      { keys: "Ctrl S", hint: "Save the draft" },
      { keys: "Ctrl Z", hint: "Undo; in a field, what was typed there" },
      { keys: "Ctrl Shift Z", hint: "Do again" },
      { keys: "?", hint: "Show these keys" },
    ],
  },
  {
    group: "In the YAML",
    keys: [{ keys: "Esc, then Tab", hint: "Leave the text; Tab alone indents" }],
  },
  {
    group: "On the canvas",
    keys: [
      { keys: "↑ ↓", hint: "To the node before, to the node behind; into a forEach and out of it" },
      { keys: "← →", hint: "To the node beside" },
      { keys: "Enter", hint: "Edit the selected node" },
      { keys: "A", hint: "Add a node behind the selected one" },
      { keys: "Shift A", hint: "Add a node inside the selected forEach" },
      { keys: "C", hint: "Connect the selected node to another" },
      { keys: "Delete", hint: "Remove what is selected" },
      { keys: "Ctrl D", hint: "Duplicate what is selected" },
      { keys: "Ctrl C, Ctrl X, Ctrl V", hint: "Copy, cut, paste; also into another workflow" },
      { keys: "Ctrl A", hint: "Select all nodes" },
      { keys: "Shift ↑ ↓ ← →", hint: "Move the selected node" },
      { keys: "L", hint: "Arrange all nodes automatically" },
      { keys: "F", hint: "Show the whole workflow" },
      { keys: "Esc", hint: "Select nothing" },
    ],
  },
];

/** What keys do, as the "?" dialog lists them; `use-shortcuts.ts` carries them out. */
export const SHORTCUTS: readonly { group: string; keys: readonly { keys: string; words: string }[] }[] = [
  {
    group: "Everywhere",
    keys: [
      { keys: "Ctrl S", words: "Save the draft" },
      { keys: "Ctrl Z", words: "Undo; in a field, what was typed there" },
      { keys: "Ctrl Shift Z", words: "Do again" },
      { keys: "?", words: "Show these keys" },
    ],
  },
  {
    group: "In the YAML",
    keys: [{ keys: "Esc, then Tab", words: "Leave the text; Tab alone indents" }],
  },
  {
    group: "On the canvas",
    keys: [
      { keys: "↑ ↓", words: "To the node before, to the node behind; into a forEach and out of it" },
      { keys: "← →", words: "To the node beside" },
      { keys: "Enter", words: "Edit the selected node" },
      { keys: "A", words: "Add a node behind the selected one" },
      { keys: "Shift A", words: "Add a node inside the selected forEach" },
      { keys: "C", words: "Connect the selected node to another" },
      { keys: "Delete", words: "Remove what is selected" },
      { keys: "Ctrl D", words: "Duplicate what is selected" },
      { keys: "Ctrl C, Ctrl X, Ctrl V", words: "Copy, cut, paste; also into another workflow" },
      { keys: "Ctrl A", words: "Select all nodes" },
      { keys: "Shift ↑ ↓ ← →", words: "Move the selected node" },
      { keys: "L", words: "Arrange all nodes automatically" },
      { keys: "F", words: "Show the whole workflow" },
      { keys: "Esc", words: "Select nothing" },
    ],
  },
];

import { Button, Stack } from "@mantine/core";
import { createContext, useContext, useId } from "react";
import type { ReactNode } from "react";
import type { Fix } from "../../schema/contract/problem.ts";
import { WarningLine } from "../ui/warning-line.tsx";
import { isAt, isError, problemSentence } from "./problems.ts";
import type { Problem } from "./problems.ts";

interface Notes {
  /** Problems and warnings, with paths relative to the edited node or trigger. */
  found: readonly Problem[];
  /** Null in a read-only form. */
  onFix: ((fix: Fix) => void) | null;
}
const NotesContext = createContext<Notes>({ found: [], onFix: null });

/** Provides warnings and fixes to the fields inside. */
export function WithNotes({ found, onFix, children }: Notes & { children: ReactNode }) {
  return <NotesContext value={{ found, onFix }}>{children}</NotesContext>;
}

/** All problems and warnings of the edited node or trigger. */
export function useNotes(): Notes {
  return useContext(NotesContext);
}

/** The notes below the field at a path: its warnings, and the fixes of its problems. */
export function useNotesAt(path: string): Problem[] {
  const { found } = useNotes();
  return found.filter((one) => isAt(one.path, path) && (!isError(one) || one.fix !== undefined));
}

/** `id`: for the field's `aria-describedby`. */
export function FieldNotes({ id, path }: { id?: string; path: string }) {
  const { onFix } = useNotes();
  const notes = useNotesAt(path);
  if (notes.length === 0) return null;
  return (
    <Stack gap={6} mt={4} {...(id === undefined ? {} : { id })}>
      {notes.map((note) =>
        isError(note) ? (
          // The field itself shows the problem.
          <FixButton key={`${note.path} ${note.message}`} fix={note.fix} onFix={onFix} />
        ) : (
          <Warning key={`${note.path} ${note.message}`} warning={note} at={path} onFix={onFix} />
        ),
      )}
    </Stack>
  );
}

/** A warning with its fix. */
export function Warning({ warning, at, onFix }: { warning: Problem; at: string; onFix: Notes["onFix"] }) {
  const id = useId();
  return (
    <WarningLine
      id={id}
      message={problemSentence(warning, at)}
      below={<FixButton fix={warning.fix} onFix={onFix} describedBy={id} />}
    />
  );
}

/** Applies the fix that the service offers. */
export function FixButton(props: { fix: Fix | undefined; onFix: Notes["onFix"]; describedBy?: string }) {
  const { fix, onFix, describedBy } = props;
  if (fix === undefined || onFix === null) return null;
  return (
    <Button
      size="compact-xs"
      variant="default"
      w="fit-content"
      aria-describedby={describedBy}
      onClick={() => onFix(fix)}
    >
      {fix.title}
    </Button>
  );
}

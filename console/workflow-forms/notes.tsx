import { Button, Stack } from "@mantine/core";
import { createContext, useContext, useId } from "react";
import type { ReactNode } from "react";
import type { Fix } from "../../schema/contract/problem.ts";
import { WarningLine } from "../ui/warning-line.tsx";
import { isAt, isError, problemSentence } from "./problems.ts";
import type { Problem } from "./problems.ts";

interface Notes {
  /** Problems and warnings, with paths relative to what the form edits. */
  found: readonly Problem[];
  /** Null where nothing may be changed. */
  onFix: ((fix: Fix) => void) | null;
}
const NotesContext = createContext<Notes>({ found: [], onFix: null });

/** Gives the fields below their warnings, and the fixes of warnings and problems. */
export function WithNotes({ found, onFix, children }: Notes & { children: ReactNode }) {
  return <NotesContext value={{ found, onFix }}>{children}</NotesContext>;
}

/** Everything that is noted of what the form edits. */
export function useNotes(): Notes {
  return useContext(NotesContext);
}

/** What belongs below the field at a path: its warnings, and the fixes of its problems. */
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
          // The field itself says what is wrong.
          <FixButton key={`${note.path} ${note.message}`} fix={note.fix} onFix={onFix} />
        ) : (
          <Warning key={`${note.path} ${note.message}`} warning={note} at={path} onFix={onFix} />
        ),
      )}
    </Stack>
  );
}

/** A warning in words, with its fix. */
export function Warning({ warning, at, onFix }: { warning: Problem; at: string; onFix: Notes["onFix"] }) {
  const id = useId();
  return (
    <WarningLine
      id={id}
      words={problemSentence(warning, at)}
      below={<FixButton fix={warning.fix} onFix={onFix} describedBy={id} />}
    />
  );
}

/** Does what the service offers as a repair. */
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

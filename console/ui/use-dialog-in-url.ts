import { useSearchParams } from "wouter";

const PARAMETER = "open";

/** A dialog that a link can open: `?open=<name>` shows it. */
export function useDialogInUrl(name: string): readonly [opened: boolean, change: (opened: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const change = (opened: boolean) =>
    setSearch(
      (before) => {
        if (opened) before.set(PARAMETER, name);
        else before.delete(PARAMETER);
        return before;
      },
      { replace: true },
    );
  return [search.get(PARAMETER) === name, change];
}

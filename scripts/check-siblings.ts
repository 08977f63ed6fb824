import { dirname, join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./paths.ts";

interface SourceFile {
  /** Relative to the repository's root: `worker/services/people/create.ts`. */
  path: string;
  text: string;
}

/**
 * A folder with an `index.ts`: the entity or actor that a file belongs to. `worker/actors/kit/` belongs to all actors.
 */
const FOLDER = /^worker\/(?:services|actors)\/(?!kit\/)[^/]+(?=\/)/u;
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/gu;

/**
 * Every import of `worker/services/` and `worker/actors/` that enters a folder through another file than its
 * `index.ts`.
 */
export async function checkSiblings(): Promise<string[]> {
  const paths = await Array.fromAsync(new Glob("worker/{services,actors}/**/*.ts").scan(ROOT));
  if (paths.length < 100) throw new Error(`only ${paths.length} files were found: this check would check nothing`);
  const read = async (path: string) => ({ path, text: await Bun.file(join(ROOT, path)).text() });
  return siblingProblems(await Promise.all(paths.toSorted().map(read)));
}

export function siblingProblems(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => [...wholeExports(path, text), ...foreignImports(path, text)]);
}

function foreignImports(path: string, text: string): string[] {
  const own = FOLDER.exec(path)?.[0];
  return [...text.matchAll(IMPORTED)].flatMap(([, specifier = ""]) => {
    const target = join(dirname(path), specifier);
    const folder = FOLDER.exec(target)?.[0];
    if (folder === undefined || folder === own || target === `${folder}/index.ts`) return [];
    const way = `Import ${folder}/index.ts and export the name there, or move ${target} to where both may see it.`;
    return [`${path} imports ${target}, a file inside another folder. ${way}`];
  });
}

/** An `index.ts` names each of its exports: only then does `knip` find the unused ones. */
function wholeExports(path: string, text: string): string[] {
  const isFace = path === `${FOLDER.exec(path)?.[0]}/index.ts`;
  return isFace && /^export \*/mu.test(text)
    ? [`${path} exports all of a file. Export the names that others use.`]
    : [];
}

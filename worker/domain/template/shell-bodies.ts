import type { Input } from "./shell-inputs.ts";
import { isShell } from "./shell-options.ts";
import { interpreterOf } from "./shell-programs.ts";
import { programOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

/** Code that stands in a here-document, and what runs it. */
export interface BodyCode {
  readonly text: string;
  readonly program: string;
  readonly isShell: boolean;
  readonly args: readonly Word[];
}

/** Which interpreter gets which here-document: `bash -s {{…}} <<'EOF'`, `cat <<'EOF' | python3 - {{…}}`. */
export class ShellBodies {
  readonly #texts: { readonly input: Input; readonly text: string }[] = [];
  readonly #programs = new Map<Input, Omit<BodyCode, "text">>();

  noteText(input: Input, text: string): void {
    this.#texts.push({ input, text });
  }

  /** A command that may run what it reads. */
  noteCommand(words: readonly Word[], input: Input): void {
    const at = words.findIndex((word) => interpreterOf(programOf(word)) !== null);
    const program = words[at] === undefined ? null : programOf(words[at]);
    const interpreter = interpreterOf(program);
    if (program === null || interpreter === null || interpreter.codeOperands === 0) return;
    const args = words.slice(at + 1);
    if (args.some(({ literal }) => literal !== null && interpreter.codeOption.test(literal))) return;
    this.#programs.set(input, { program, isShell: isShell(program), args });
  }

  *codes(): Iterable<BodyCode> {
    for (const { input, text } of this.#texts) {
      const program = this.#programs.get(input);
      if (program !== undefined) yield { ...program, text };
    }
  }
}

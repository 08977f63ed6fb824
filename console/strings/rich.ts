import { createElement, Fragment } from "react";
import type { ReactNode } from "react";

/** A sentence with elements inside: rich`Read ${link} first.` */
export function rich(texts: TemplateStringsArray, ...elements: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...texts.flatMap((text, index) => [text, elements[index]]));
}

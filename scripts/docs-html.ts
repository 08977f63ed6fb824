import { posix } from "node:path";

/** A page of `docs/` as the console shows it. */
export interface DocsPage {
  /** Its path after `/help/`. */
  slug: string;
  title: string;
  /** Without its first heading, which is the title. */
  html: string;
}

const OPTIONS = { tables: true, strikethrough: true, headings: { ids: true } };
const LINK = /<a href="([^"]*)"([^>]*)>(.*?)<\/a>/gsu;
const TITLE = /^<h1[^>]*>(.*?)<\/h1>\s*/su;

/** Renders a page of `docs/`, which is named by its path in the repository. The text is the deployment's own: it is trusted. */
export function docsPage(path: string, markdown: string): DocsPage {
  const html = Bun.markdown.html(markdown, OPTIONS).replaceAll(/<!--.*?-->\n?/gsu, "");
  return {
    slug: slugOf(path),
    title: (TITLE.exec(html)?.[1] ?? path).replaceAll(/<[^>]+>/gu, ""),
    html: html
      .replace(TITLE, "")
      // Wide blocks scroll, so the keyboard must reach them.
      .replaceAll("<pre>", '<pre tabindex="0">')
      .replaceAll(/<table>.*?<\/table>/gsu, '<div tabindex="0">$&</div>')
      .replaceAll(LINK, (_, href: string, rest: string, text: string) => linkTo(path, href, rest, text)),
  };
}

/** "docs/connections/ssh.md" is "connections/ssh"; a folder's README.md is the folder. */
function slugOf(path: string): string {
  return path.replace(/^docs\//u, "").replace(/(?:\/README)?\.md$/u, "");
}

/** Links between pages lead to the console's pages. A link to another file of the repository becomes plain text. */
function linkTo(path: string, href: string, rest: string, text: string): string {
  if (/^https?:/u.test(href)) return `<a href="${href}" target="_blank" rel="noreferrer"${rest}>${text}</a>`;
  const [file = "", heading] = href.split("#", 2);
  const target = file === "" ? path : posix.join(posix.dirname(path), file);
  if (!target.startsWith("docs/") || !target.endsWith(".md")) return text;
  return `<a href="/help/${slugOf(target)}${heading === undefined ? "" : `#${heading}`}"${rest}>${text}</a>`;
}

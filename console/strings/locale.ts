/** The viewer's kind of English, so that times look as the browser's own date fields do. */
export const LOCALE = globalThis.navigator?.languages?.find((language) => /^en(?:-|$)/u.test(language)) ?? "en-GB";

import type { DownloadSource } from "./download-source.ts";

/** The service behind the binding is a directory and ignores the host. */
const ORIGIN = "http://disk";

/**
 * Releases in a directory of one machine, through workerd's `disk` service. The service answers a range with 206, but a
 * range of the whole file with 200. HEAD gives the size. A directory gets 200 with a listing, which no key asks for.
 */
export function diskDownloads(disk: Fetcher): DownloadSource {
  return {
    publishHint:
      "npm run publish:agent -- --to disk <directory>, which is downloads below the state directory (.bellhop, or BELLHOP_STATE) with npm start and /var/lib/bellhop/downloads on one machine",
    sizeOf: async (key) => {
      const response = await disk.fetch(`${ORIGIN}/${key}`, { method: "HEAD" });
      if (response.status === 404) return null;
      const size = Number(response.headers.get("Content-Length") ?? Number.NaN);
      if (!response.ok || !Number.isSafeInteger(size)) throw failed("HEAD", key, response);
      return size;
    },
    read: async (key, part) => {
      const headers = new Headers();
      if (part !== undefined) headers.set("Range", `bytes=${part.offset}-${part.offset + part.length - 1}`);
      const response = await disk.fetch(`${ORIGIN}/${key}`, { headers });
      if (response.status === 404) return null;
      const whole = response.status === 200 && (part === undefined || isWhole(response, part.length));
      if (response.body === null || !(whole || response.status === 206)) throw failed("GET", key, response);
      return response.body;
    },
  };
}

function isWhole(response: Response, length: number): boolean {
  return Number(response.headers.get("Content-Length")) === length;
}

function failed(method: string, key: string, response: Response): Error {
  return new Error(`the disk service answered ${response.status} to ${method} ${key}`);
}

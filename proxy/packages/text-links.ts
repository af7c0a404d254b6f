// Links of a README to files of its package. The rendered text is the same for all packages; these links get their
// address when it is shown, if the package's source has a page for each of its files. Pure.

import { parseUrl } from '../../build/contract/parse-url.ts';
import { escapeHtml } from '../../build/shared/text/escape-html.ts';

/** The attribute of a link that has the path of a file instead of an address. */
export const waitingLink = 'data-path';

/** A picture inside a link is a span. */
const waiting = /<(a|span) data-path="([^"]*)"([^>]*)>([^]*?)<\/\1>/g;
const imageMark = ' class="image"';
const base = 'https://archive.invalid/root/';
const mostPaths = 100;

/** The files of the archive that the links and pictures of a text name. `html`: inert. */
export function waitingPaths(html: string): readonly string[] {
  const paths = [...html.matchAll(waiting)].map(([, , path = '']) => pathOf(path) ?? '');
  return [...new Set(paths)].filter((path) => path !== '').slice(0, mostPaths);
}

/**
 * Links and pictures of files in the archive. `addressOf`: the address of a picture or of a page; undefined: the archive
 * has no such file, and placeLinks finds its place.
 */
export function placeFiles(html: string, addressOf: (path: string, isPicture: boolean) => string | undefined): string {
  return html.replaceAll(waiting, (whole, _tag, given: string, others: string, text: string) => {
    const isPicture = others.includes(imageMark);
    const address = addressOf(pathOf(given) ?? '', isPicture);
    if (address === undefined) return whole;
    if (!isPicture) return `<a href="${escapeHtml(address)}"${others}>${text}</a>`;
    return `<img src="${escapeHtml(address)}" alt="${text.replaceAll('"', '&quot;')}" loading="lazy"${others.replace(imageMark, '')}>`;
  });
}

/** `path`: as an attribute has it. undefined: it leads out of the archive. */
function pathOf(path: string): string | undefined {
  const url = addressOf(path, base);
  try {
    return url === undefined ? undefined : decodeURIComponent(new URL(url).pathname.slice('/root/'.length));
  } catch {
    return undefined; // a percent sign that begins no code
  }
}

/**
 * `html`: inert. `files`: `https://github.com/acme/hello/blob/0123abc/`; undefined: the files have no pages, so the
 * links become their text.
 */
export function placeLinks(html: string, files: string | undefined): string {
  return html.replaceAll(waiting, (_, tag: string, path: string, given: string, text: string) => {
    const others = given.replaceAll(/ (?:width|height)="\d+"/g, '');
    if (tag === 'span') return `<span${others}>${text}</span>`;
    const address = files === undefined ? undefined : addressOf(path, files);
    if (address !== undefined) return `<a href="${address}" rel="nofollow noopener noreferrer"${others}>${text}</a>`;
    return others.includes(imageMark) ? `<span class="image">${text}</span>` : text;
  });
}

/** `path`: as an attribute has it. undefined: it leads out of the package. */
function addressOf(path: string, files: string): string | undefined {
  const address = parseUrl(path.replaceAll('&amp;', '&').replace(/^\/+/, ''), files)?.href;
  return address?.startsWith(files) === true ? address.replaceAll('&', '&amp;').replaceAll('"', '%22') : undefined;
}

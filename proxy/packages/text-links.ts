// Links of a README to files of its package. The rendered text is the same for all packages; these links get their
// address when it is shown, if the package's source has a page for each of its files. Pure.

import { parseUrl } from '../../build/contract/parse-url.ts';

/** The attribute of a link that has the path of a file instead of an address. */
export const waitingLink = 'data-path';

/**
 * `html`: inert. `files`: `https://github.com/acme/hello/blob/0123abc/`; undefined: the files have no pages, so the
 * links become their text.
 */
export function placeLinks(html: string, files: string | undefined): string {
  return html.replaceAll(
    /<a data-path="([^"]*)"([^>]*)>([^]*?)<\/a>/g,
    (_, path: string, others: string, text: string) => {
      const address = files === undefined ? undefined : addressOf(path, files);
      if (address !== undefined) return `<a href="${address}" rel="nofollow noopener noreferrer"${others}>${text}</a>`;
      return others.includes('class="image"') ? `<span class="image">${text}</span>` : text;
    },
  );
}

/** `path`: as an attribute has it. undefined: it leads out of the package. */
function addressOf(path: string, files: string): string | undefined {
  const address = parseUrl(path.replaceAll('&amp;', '&').replace(/^\/+/, ''), files)?.href;
  return address?.startsWith(files) === true ? address.replaceAll('&', '&amp;').replaceAll('"', '%22') : undefined;
}

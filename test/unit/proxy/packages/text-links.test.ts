// Tests where links to files of a package lead.

import { expect, it } from 'vitest';
import { renderMarkdown } from '../../../../proxy/packages/render-markdown.ts';
import { placeLinks } from '../../../../proxy/packages/text-links.ts';

const files = 'https://github.com/acme/hello/blob/0123abc/';
const placed = (markdown: string): string => placeLinks(renderMarkdown(markdown), files);

it.each([
  ['[x](docs/use.md#first)', `${files}docs/use.md#first`],
  ['[x](./LICENSE)', `${files}LICENSE`],
  ['[x](/docs/a&b.md?plain=1&raw)', `${files}docs/a&amp;b.md?plain=1&amp;raw`],
  ['<a href="docs/guide.md">x</a>', `${files}docs/guide.md`],
  ['![x](docs/x.png)', `${files}docs/x.png`],
])('%s leads to the file on the forge', (markdown, address) =>
  expect(placed(markdown)).toContain(`<a href="${address}" rel="nofollow noopener noreferrer"`),
);

it.each(['[x](../../other/secret.md)', '[x](docs/../../../..//evil.example)', '[x](///evil.example/a)'])(
  '%s leads out of the package, and becomes text',
  (markdown) => expect(placed(markdown)).not.toMatch(/<a|href/),
);

it('where files have no pages, links to them are text, and images keep their mark', () => {
  const html = placeLinks(renderMarkdown('See [the *guide*](docs/guide.md). ![A diagram](docs/x.png)'), undefined);
  expect(html).toBe('<p>See the <em>guide</em>. <span class="image">A diagram</span></p>\n');
});

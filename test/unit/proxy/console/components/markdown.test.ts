// Tests how the HTML of a README is fitted into a page.

import { expect, it } from 'vitest';
import { withinPage } from '../../../../../proxy/console/components/markdown.tsx';
import { renderMarkdown } from '../../../../../proxy/packages/render-markdown.ts';

it('puts the headings below the heading of the page, and lets people scroll code by keyboard', () => {
  expect(withinPage(renderMarkdown('# One\n\n###### Six\n\n```\na\n```\n\n`<h1>`'))).toBe(
    '<h2>One</h2>\n<h6>Six</h6>\n<pre tabindex="0"><code>a\n</code></pre>\n<p><code>&lt;h1&gt;</code></p>\n',
  );
});

// Tests how the HTML of a README is fitted into a page.

import { expect, it } from 'vitest';
import { withinPage } from '../../../../../proxy/console/components/markdown.tsx';
import { renderMarkdown } from '../../../../../proxy/packages/render-markdown.ts';

it('puts the headings below the heading of the page, and lets people scroll code and tables by keyboard', () => {
  expect(withinPage(renderMarkdown('# One\n\n<h6>Six</h6>\n\n```\na\n```\n\n`<h1>`\n\n|a|\n|-|\n'))).toBe(
    '<h2 id="text-one">One</h2>\n<h6>Six</h6>\n<pre tabindex="0"><code>a\n</code></pre>\n<p><code>&lt;h1&gt;</code></p>\n' +
      '<div class="scrolls" tabindex="0"><table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table></div>\n',
  );
});

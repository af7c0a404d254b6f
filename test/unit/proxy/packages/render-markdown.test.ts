// Tests that READMEs as forges have them are shown with their structure. test/security/readme.test.ts tests hostile
// ones.

import { expect, it } from 'vitest';
import { renderMarkdown } from '../../../../proxy/packages/render-markdown.ts';

const rel = 'rel="nofollow noopener noreferrer"';

it.each([
  ['a comment', '<!-- for\n\nauthors -->\n\nx <!-- here --> y', '<p>x  y</p>\n'],
  [
    'a centred logo with a link',
    '<p align="center"><a href="https://a.example"><img src="https://a.example/l.png" width="400" alt="Logo"></a></p>',
    `<p class="center"><a href="https://a.example" ${rel}><span class="image">Logo</span></a></p>`,
  ],
  [
    'short marks',
    'H<sub>2</sub>O<br>x<sup>2</sup> <kbd>K</kbd>',
    '<p>H<sub>2</sub>O<br />x<sup>2</sup> <kbd>K</kbd></p>\n',
  ],
  [
    'text to unfold, with Markdown inside',
    '<details open>\n<summary>More</summary>\n\n**b**\n\n</details>',
    '<details open>\n<summary>More</summary>\n<p><strong>b</strong></p>\n</details>',
  ],
  [
    'a table of HTML',
    '<table><tr><th align="right" colspan="2">a</th></tr></table>',
    '<table><tr><th class="end" colspan="2">a</th></tr></table>',
  ],
  [
    'a picture',
    '<picture><source srcset="a.webp"><img src="https://a.example/b.png?x=1"></picture>',
    `<p><a href="https://a.example/b.png?x=1" ${rel} class="image">b.png</a></p>\n`,
  ],
  [
    'tasks',
    '- [x] a\n- [ ] b\n- [c] d',
    '<ul>\n<li class="task">☑ a</li>\n<li class="task">☐ b</li>\n<li>[c] d</li>\n</ul>\n',
  ],
  [
    'an alert',
    '> [!NOTE]\n> a\n\n> [!OTHER]\n> b',
    '<div class="alert note">\n<p class="alert-title">Note</p><p>a</p>\n</div>\n<blockquote>\n<p>[!OTHER]\nb</p>\n</blockquote>\n',
  ],
  [
    'a note',
    'a[^x]\n\n[^x]: b',
    '<p>a<sup><a href="#text-fn1" id="text-fnref1">[1]</a></sup></p>\n<hr />\n<section class="footnotes">\n<ol>\n' +
      '<li id="text-fn1"><p>b <a href="#text-fnref1">↩︎</a></p>\n</li>\n</ol>\n</section>\n',
  ],
  [
    'a version in a heading without its link',
    '## [2.6.0] - 2026-11-01\n',
    '<h2 id="text-260---2026-11-01">2.6.0 - 2026-11-01</h2>\n',
  ],
  [
    'links to headings, and to one that is missing',
    '[a](#how-to-use-it) [b](#other)\n\n# How to *use* it?\n# How to use it',
    '<p><a href="#text-how-to-use-it">a</a> b</p>\n<h1 id="text-how-to-use-it">How to <em>use</em> it?</h1>\n<h1 id="text-how-to-use-it-1">How to use it</h1>\n',
  ],
  [
    'an address',
    'See https://a.example/b.',
    `<p>See <a href="https://a.example/b" ${rel}>https://a.example/b</a>.</p>\n`,
  ],
  ['a type, which is no tag', 'Returns List<Item> or a < b.', '<p>Returns List&lt;Item&gt; or a &lt; b.</p>\n'],
])('%s', (_, markdown, html) => expect(renderMarkdown(markdown).trimStart()).toBe(html));

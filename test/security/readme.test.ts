// Row 79. Tests hostile READMEs: the rendered HTML is inert in a browser, and rendering takes bounded time.

import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../proxy/packages/render-markdown.ts';
import { beginningOf, maxRendered } from '../../proxy/packages/render-thread.ts';

const htmlOf = (markdown: string): string => renderMarkdown(beginningOf(markdown));
/** The tags and attributes of the HTML, in lower case. */
const tagsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, tag]) => String(tag).toLowerCase());

describe('row 79: hostile READMEs', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script cut in two', '<scr<script>ipt>alert(1)</script>'],
    ['an event handler', '<img src=x onerror=alert(1)>'],
    ['an SVG', '<svg onload=alert(1)><circle/></svg>'],
    ['a frame', '<iframe src="https://evil.example"></iframe>'],
    ['a form', '<form action="https://evil.example"><input name=password></form>'],
    ['a style', '<style>*{background:url(https://evil.example)}</style>'],
    ['a comment that opens', '<!--><script>alert(1)</script>'],
  ])('%s stays text', (_, markdown) => {
    const html = htmlOf(`# Hello\n\n${markdown}\n`);
    expect(tagsOf(html).filter((tag) => !['h1', 'p'].includes(tag))).toEqual([]);
    expect(html).toContain('&lt;');
  });

  it.each([
    ['javascript:', '[x](javascript:alert(1))'],
    [
      'javascript: with blanks and case',
      '[x](<java\tscript:alert(1)>) [y](JaVaScRiPt:alert(1)) [z](&#106;avascript:alert(1))',
    ],
    ['vbscript:', '[x](vbscript:msgbox(1))'],
    ['data:', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
    ['data: of an image', '[x](data:image/svg+xml;base64,PHN2Zz4=)'],
    ['an address without a scheme', '[x](//evil.example/a) [y](/api/tokens) [z](docs/a.md)'],
    ['an automatic link', '<javascript:alert(1)>'],
    ['a reference', '[x][1]\n\n[1]: javascript:alert(1)'],
  ])('%s becomes no link', (_, markdown) => expect(htmlOf(markdown)).not.toMatch(/<[^>]*(?:href|src)/i));

  it('an image becomes its text, and no other host is asked', () => {
    const html = htmlOf(
      '![build <b>status</b>](https://evil.example/pixel.png "t") [![badge](https://evil.example/b.svg)](https://example.org)',
    );
    expect(html).not.toMatch(/<img|evil\.example/);
    expect(html).toContain('build');
    expect(html).toContain('<a href="https://example.org" rel="nofollow noopener noreferrer">badge</a>');
  });

  it('harmless Markdown is rendered completely', () => {
    const html = htmlOf(
      '# Hello\n\n- *a* **b** ~~c~~ `d`\n\n```php\n<?php echo "<b>";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[site](https://example.org "title") <mail@example.org>\n\n> quoted',
    );
    for (const part of [
      '<h1>Hello</h1>',
      '<em>a</em>',
      '<strong>b</strong>',
      '<s>c</s>',
      '<code>d</code>',
      '&lt;?php echo "&lt;b&gt;";',
      '<td>1</td>',
      '<a href="https://example.org" rel="nofollow noopener noreferrer" title="title">site</a>',
      'href="mailto:mail@example.org"',
      '<blockquote>',
    ])
      expect(html).toContain(part);
  });

  it('text cannot leave an attribute', () => {
    expect(htmlOf('[x](https://example.org/"onmouseover="alert(1) "a\\" onclick=\\"alert(1)")')).not.toMatch(
      /<[^>]*"\s+on\w+=/i,
    );
    expect(htmlOf('[x](<https://example.org/" onmouseover="alert(1)>)')).not.toMatch(/<[^>]*"\s+on\w+=/i);
  });

  it.each([
    ['quotes', '>'.repeat(600_000)],
    ['lists', '- '.repeat(300_000)],
    ['brackets', '['.repeat(600_000)],
    ['links in links', '[a]('.repeat(150_000)],
    ['emphasis', '*a_'.repeat(200_000)],
    ['backticks', Array.from({ length: 1000 }, (_, index) => '`'.repeat(index + 1)).join(' ')],
    ['a table', `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(100_000)}`],
    ['5 MB of text', 'Lorem *ipsum* dolor.\n\n'.repeat(250_000)],
  ])('endless %s: only the beginning is rendered', (_, markdown) => {
    expect(beginningOf(markdown).length).toBeLessThanOrEqual(maxRendered);
    const html = htmlOf(markdown);
    expect(html.length).toBeLessThan(maxRendered * 8);
    expect(Math.max(0, ...html.split(/(?=<)/).map(depthChange()))).toBeLessThan(60);
  });

  it('a text is cut at the end of a line', () => {
    const html = htmlOf(`${'a'.repeat(maxRendered - 10)}\nlast line that is cut`);
    expect(html).not.toContain('last');
  });
});

/** The number of open elements after each tag. */
function depthChange(): (piece: string) => number {
  let depth = 0;
  return (piece) => {
    if (piece.startsWith('</')) depth -= 1;
    else if (/^<[a-z]/.test(piece) && !/^<(?:br|hr)\b/.test(piece)) depth += 1;
    return depth;
  };
}

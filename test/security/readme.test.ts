// Row 79. Tests hostile READMEs: the rendered HTML is inert in a browser, and rendering takes bounded time.

import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../proxy/packages/render-markdown.ts';
import { placeLinks } from '../../proxy/packages/text-links.ts';
import { beginningOf, maxRendered } from '../../proxy/packages/render-thread.ts';
import { playsSeries } from '../util/series.ts';

const files = 'https://github.com/acme/hello/blob/0123abc/';
const htmlOf = (markdown: string): string => renderMarkdown(beginningOf(markdown));
/** The tags and attributes of the HTML, in lower case. */
const tagsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<\/?([a-z][a-z0-9]*)/gi)].map(([, tag]) => String(tag).toLowerCase());

describe('row 79: hostile READMEs', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script cut in two', '<scr<script>ipt>alert(1)</script>'],
    ['an SVG', '<svg onload=alert(1)><circle/></svg>'],
    ['a frame', '<iframe src="https://evil.example"></iframe>'],
    ['a form', '<form action="https://evil.example"><input name=password></form>'],
    ['a style', '<style>*{background:url(https://evil.example)}</style>'],
    ['a comment that opens', '<!--><script>alert(1)</script>'],
    ['a comment that ends early', '<!-- a --!><script>alert(1)</script> --><script>alert(1)</script>'],
    ['mathematics', '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>'],
    ['a text without end', '<noscript><p title="</noscript><img src=x onerror=alert(1)>">'],
    ['an area of text', '<textarea><img src=x onerror=alert(1)></textarea>'],
    ['a template', '<template><script>alert(1)</script></template>'],
    ['a base', '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">'],
    ['a tag without end', '<p\ntitle="<b onclick=alert(1)'],
    [
      'an instruction',
      '<?xml-stylesheet href="https://evil.example"?> <![CDATA[<script>alert(1)</script>]]> <!ENTITY x>',
    ],
    ['a video', '<video src="https://evil.example/a.mp4" autoplay></video> <audio src="https://evil.example/a.mp3">'],
  ])('%s stays text', (_, markdown) => {
    const html = htmlOf(`# Hello\n\n${markdown}\n`);
    expect(tagsOf(html).filter((tag) => !['h1', 'p', 'table', 'a', 'span'].includes(tag))).toEqual([]);
    expect(html).toContain('&lt;');
    expect(html).not.toMatch(/<[^>]*(?:href|src|on\w+)=/i);
  });

  it.each([
    ['an event handler', '<img src=x onerror=alert(1)>'],
    [
      'event handlers of permitted tags',
      '<details open ontoggle=alert(1)><summary onclick="alert(1)">x</summary></details>',
    ],
    ['a style of a permitted tag', '<p style="background:url(https://evil.example)" align="left;x:y">x</p>'],
    ['classes of the page around it', '<div class="skip button danger" id="results" name="person">x</div>'],
    [
      'a picture with sources',
      '<picture><source srcset="https://evil.example/a 2x"><img srcset="https://evil.example/b 2x"></picture>',
    ],
    [
      'an old background',
      '<table background="https://evil.example"><tr><td background="https://evil.example">x</table>',
    ],
    ['quotes in attributes', `<p title='"><script>alert(1)</script>' align='"onclick="alert(1)'>x</p>`],
    ['attributes in capitals and with line feeds', '<P\nONCLICK\n=\nalert(1)\nSTYLE="x">x</P>'],
    ['a slash instead of a blank', '<img/src="x"/onerror=alert(1)>'],
    ['tags that end in another order', '<b><p><i onclick=alert(1)>x</b></p></i></div></section></main>'],
    ['a quote that never closes', '<b title="x>\n\n**y** <a href="z" onclick=alert(1)>\n'],
    ['an alternative text that is HTML', '<img alt="<img src=x onerror=alert(1)>"> ![<b onclick=alert(1)>](y)'],
    [
      'a task, an alert and a note with HTML',
      '- [x] <b onclick=alert(1)>x</b>\n\n> [!NOTE]\n> <i onload=x>y</i>\n\n[^1]\n\n[^1]: <u onload=x>z</u>',
    ],
  ])('%s: no script, style or address remains', (_, markdown) => {
    const html = htmlOf(`# Hello\n\n${markdown}\n`);
    const attributes = [...html.matchAll(/<[^>]*>/g)].flatMap(([tag]) => [
      ...tag.matchAll(/\s([^\s=>"/]+)(?:="[^"]*")?/g),
    ]);
    const known = ['id', 'class', 'open', 'href', 'data-path'];
    expect(attributes.map(([, name]) => String(name)).filter((name) => !known.includes(name))).toEqual([]);
    expect(html).not.toMatch(/<[^>]*(?:evil\.example|\sid="(?!text-)|class="[^"]*(?:skip|button))/i);
    expect(html).not.toMatch(/<(?:script|img|svg|style|source)/i);
  });

  it.each([
    ['<a href="javascript:alert(1)">x</a>'],
    ['<a href="java&#10;script:alert(1)">x</a> <a href="&#1;javascript:alert(1)">y</a>'],
    ['<a href=" javascript:alert(1)">x</a> <a href="jav\tascript:alert(1)">y</a>'],
    ['<a href="JAVASCRIPT&colon;alert(1)">x</a>'],
    ['<a href="data:text/html,x">x</a> <a href="vbscript:x">y</a> <a href="//evil.example">z</a>'],
    ['<a href="\\\\evil.example">x</a> <a href="/\\evil.example">y</a> <a href="/&#92;evil.example">z</a>'],
    ['<a xlink:href="javascript:alert(1)" data-path="javascript:alert(1)">x</a>'],
    ['<a href="https://example.org" href="javascript:alert(1)" target=_blank ping="https://evil.example">x</a>'],
    [
      '[x](https://packages.example.org@evil.example/) [y](http://a:b@evil.example) <a href="HTTPS://a@evil.example">z</a>',
    ],
    ['<img src="javascript:alert(1)" alt="x"> <img src="data:image/svg+xml,x" alt="y">'],
  ])('%s leads nowhere but to the web', (markdown) => {
    const links = [...placeLinks(htmlOf(markdown), files).matchAll(/(?:href|src|data-path|ping|target)="([^"]*)"/g)];
    expect(links.map(([, address]) => address).filter((address) => address !== 'https://example.org')).toEqual([]);
  });

  it('a link within a link, and an image within one, stay one link', () => {
    const html = htmlOf(
      '<a href="https://a.example"><a href="https://b.example"><img src="https://c.example/d.png"></a></a>',
    );
    expect(html).toBe(
      '<p><a href="https://a.example" rel="nofollow noopener noreferrer"><span><span class="image">d.png</span></span></a></p>\n',
    );
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

  it('an image becomes a link with its text, and no other host is asked', () => {
    const html = htmlOf(
      '![build <b>status</b>](https://evil.example/pixel.png "t") [![badge](https://evil.example/b.svg)](https://example.org)',
    );
    expect(html).not.toMatch(/<img|src=/);
    expect(html).toBe(
      '<p><a href="https://evil.example/pixel.png" rel="nofollow noopener noreferrer" class="image">build &lt;b&gt;status&lt;/b&gt;</a> ' +
        '<a href="https://example.org" rel="nofollow noopener noreferrer"><span class="image">badge</span></a></p>\n',
    );
  });

  it('harmless Markdown is rendered completely', () => {
    const html = htmlOf(
      '# Hello\n\n- *a* **b** ~~c~~ `d`\n\n```php\n<?php echo "<b>";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[site](https://example.org "title") <mail@example.org>\n\n> quoted',
    );
    for (const part of [
      '<h1 id="text-hello">Hello</h1>',
      '<em>a</em>',
      '<strong>b</strong>',
      '<s>c</s>',
      '<code>d</code>',
      '<span class="hl-keyword">echo</span> <span class="hl-string">"&lt;b&gt;"</span>;',
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
    ['comments', '<!--'.repeat(200_000)],
    ['tags', '<div>'.repeat(120_000)],
    ['attributes', `<a ${'b="<a '.repeat(120_000)}`],
    ['blanks in tags', `<a${' '.repeat(600_000)}`.repeat(2)],
    ['notes', '[^1] '.repeat(100_000) + '\n\n[^1]: x'],
    ...(playsSeries ? [['equal headings', '# a\n'.repeat(150_000)]] : []),
    ['alerts', '> '.repeat(300) + '[!NOTE]\n' + '> [!NOTE]\n\n'.repeat(50_000)],
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

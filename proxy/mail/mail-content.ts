// The text and the HTML of a mail, in the look of the console. One source of words for both, so that they never differ.
// Pure.

import { escapeHtml } from '../../build/shared/text/escape-html.ts';
import type { MailContent } from './mail.ts';

export interface MailItem {
  readonly title: string;
  readonly lines: readonly string[];
  /** undefined: no page is known */
  readonly url?: string | undefined;
}

export interface MailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly items?: readonly MailItem[];
  readonly button?: { readonly label: string; readonly url: string };
  /** small print: why the reader gets the mail, and how to turn it off */
  readonly footer: readonly string[];
}

/** The name of the registry, for the head of each mail. */
export function composeMail(words: MailWords, registry: string): MailContent {
  const subject = oneLine(words.subject);
  return { subject, text: textOf(words, registry), html: htmlOf({ ...words, subject }, registry) };
}

/** A line break in a subject would end the header. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200);
}

function textOf({ paragraphs, items = [], button, footer }: MailWords, registry: string): string {
  const blocks = [
    ...paragraphs,
    ...items.map(({ title, lines, url }) => [`- ${title}`, ...lines, ...(url === undefined ? [] : [url])].join('\n  ')),
    ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]),
    ['-- ', registry, ...footer].join('\n'),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const link = 'color:#1f5fd0;text-decoration:none';

function htmlOf({ subject, paragraphs, items = [], button, footer }: MailWords, registry: string): string {
  const text = (words: string): string =>
    `<p style="margin:0 0 14px">${escapeHtml(words).replaceAll('\n', '<br>')}</p>`;
  const item = ({ title, lines, url }: MailItem): string => {
    const head =
      url === undefined ? escapeHtml(title) : `<a style="${link}" href="${escapeHtml(url)}">${escapeHtml(title)}</a>`;
    const facts = lines.map((line) => `<br><span style="color:#57606a">${escapeHtml(line)}</span>`).join('');
    return `<li style="margin:0 0 10px">${head}${facts}</li>`;
  };
  const shownButton =
    button === undefined
      ? ''
      : `<p style="margin:22px 0"><a href="${escapeHtml(button.url)}" style="display:inline-block;padding:10px 18px;` +
        `border-radius:8px;background:#1f5fd0;color:#ffffff;font-weight:600;text-decoration:none">` +
        `${escapeHtml(button.label)}</a></p>`;
  const list =
    items.length === 0 ? '' : `<ul style="margin:0 0 14px;padding-left:20px">${items.map(item).join('')}</ul>`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;background:#f6f8fa;${font};font-size:16px;line-height:1.5;color:#1f2328">`,
    '<div style="max-width:560px;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #d1d9e0;border-radius:12px">',
    `<p style="margin:0 0 18px;font-size:13px;color:#57606a">${escapeHtml(registry)}</p>`,
    `<h1 style="margin:0 0 16px;font-size:21px;line-height:1.3">${escapeHtml(subject)}</h1>`,
    ...paragraphs.map(text),
    list,
    shownButton,
    '<p style="margin:24px 0 0;padding-top:14px;border-top:1px solid #d1d9e0;font-size:13px;color:#57606a">',
    `${footer.map(escapeHtml).join('<br>')}</p></div></body></html>`,
  ].join('\n');
}

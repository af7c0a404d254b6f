// Untrusted HTML → inert HTML, by lists of what may stay: no scripts, styles and forms, and nothing that a browser
// loads. An image becomes its text, with a link to it; one of the package
// itself waits for its address too. Links lead to web pages, mail addresses and places of the same
// text; links to files of the package wait for their address (text-links.ts).

import sanitizeHtml from 'sanitize-html';
import { highlightClass } from './highlight.ts';
import { waitingLink } from './text-links.ts';

type Attributes = Readonly<Record<string, string>>;

const blocks = 'p div section blockquote pre ul ol li dl dt dd details summary hr h1 h2 h3 h4 h5 h6'.split(' ');
const tables = 'table thead tbody tfoot tr th td caption'.split(' ');
const inline = 'a br code em strong b i u s del ins kbd samp var sub sup small mark q cite abbr span'.split(' ');
const kept: ReadonlySet<string> = new Set([...blocks, ...tables, ...inline]);

/** Tags that become another one, or go while their content stays. */
const replaced: Readonly<Record<string, string>> = {
  center: 'div',
  strike: 's',
  tt: 'code',
  ...Object.fromEntries(
    ['picture', 'source', 'font', 'big', 'nobr', 'wbr', 'figure', 'figcaption'].map((tag) => [tag, '']),
  ),
};

/** Whether a tag is read as HTML; every other one stays text. */
export function takesTag(tag: string): boolean {
  return kept.has(tag) || tag === 'img' || Object.hasOwn(replaced, tag);
}

/** Names of places in a text. The page around it has others. */
const idPrefix = 'text-';
const classes = 'image center end task footnotes alert alert-title note tip important warning caution'.split(' ');

/** Returns HTML that is safe to put into a page. */
export function inertHtml(html: string): string {
  const ids = new Set<string>();
  let openLinks = 0;
  const inert = sanitizeHtml(html, {
    allowedTags: [...kept],
    allowedAttributes: {
      '*': ['id'],
      a: ['href', 'rel', 'title', 'width', 'height', waitingLink],
      span: ['width', 'height', waitingLink],
      ol: ['start'],
      details: ['open'],
      th: ['colspan', 'rowspan'],
      td: ['colspan', 'rowspan'],
    },
    allowedClasses: { '*': classes, span: [...classes, highlightClass] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nestingLimit: 50,
    onOpenTag: (tag) => void (tag === 'a' && (openLinks += 1)),
    onCloseTag: (tag) => void (tag === 'a' && (openLinks -= 1)),
    transformTags: {
      ...Object.fromEntries(
        [...kept, ...Object.keys(replaced)].map((tag) => [
          tag,
          (name: string, given: Attributes) => {
            const tagName = name === 'a' && (openLinks > 1 || !('href' in given)) ? 'span' : (replaced[name] ?? name);
            return { tagName, attribs: { ...attributesOf(tagName, name, given), ...placeOf(given, ids) } };
          },
        ]),
      ),
      img: (_, given) => shownImage(given, openLinks > 0),
    },
  });
  return withoutDeadLinks(inert, ids);
}

/** The place that links lead to: its name, or the name and a number if another place has it. */
function placeOf({ id, name = '' }: Attributes, ids: Set<string>): Attributes {
  const wanted = (id ?? name).toLowerCase();
  if (!/^[\p{L}\p{N}_:-]{1,100}$/u.test(wanted)) return {};
  let free = wanted;
  for (let count = 1; ids.has(free); count += 1) free = `${wanted}-${count}`;
  ids.add(free);
  return { id: idPrefix + free };
}

function attributesOf(tag: string, given: string, attributes: Attributes): Attributes {
  const { align, style = '', title, start, colspan, rowspan } = attributes;
  if (tag === 'a') return { ...linkTo(attributes['href'] ?? ''), ...(title === undefined ? {} : { title }) };
  const side = given === 'center' ? given : (align ?? /^text-align:(\w+)$/.exec(style)?.[1]);
  const named = [side === 'center' ? 'center' : side === 'right' ? 'end' : '', attributes['class'] ?? ''];
  return {
    class: named.join(' ').trim(),
    ...(tag === 'details' && 'open' in attributes ? { open: '' } : {}),
    ...numbers({ start, colspan, rowspan }),
  };
}

function numbers(given: Readonly<Record<string, string | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(given).filter((one): one is [string, string] => /^\d{1,9}$/.test(one[1] ?? '')),
  );
}

const rel = 'nofollow noopener noreferrer';

/** No attribute: the link leads nowhere. */
function linkTo(address: string): Attributes {
  // a name and a password in an address only make another host look like a known one
  if (/^https?:\/\/[^/?#\\]*@/i.test(address)) return {};
  if (/^(?:https?:\/\/|mailto:)/i.test(address)) return { href: address, rel };
  if (address.startsWith('#')) return { href: `#${idPrefix}${decoded(address.slice(1)).toLowerCase()}` };
  return isFilePath(address) ? { [waitingLink]: address } : {};
}

/** Relative, or from the root of the package's own repository. */
function isFilePath(address: string): boolean {
  return address !== '' && !/^[a-z][a-z0-9+.-]*:|^[/\\]{2}|[\\\s]|\p{Cc}/iu.test(address);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that begins no code
  }
}

/** The browser would load it from another host, unless the package has it. */
function shownImage({ alt = '', src = '', width, height }: Attributes, isInLink: boolean): sanitizeHtml.Tag {
  const file = /([^/?#]+\.(?:png|jpe?g|gif|svg|webp|avif))(?:[?#]|$)/i.exec(src)?.[1];
  const text = alt.trim() || decoded(file ?? 'image');
  const link = linkTo(src);
  if (waitingLink in link) {
    const attribs = { ...link, class: 'image', ...numbers({ width, height }) };
    return { tagName: isInLink ? 'span' : 'a', attribs, text };
  }
  return 'href' in link && !isInLink
    ? { tagName: 'a', attribs: { ...link, class: 'image' }, text }
    : { tagName: 'span', attribs: { class: 'image' }, text };
}

/** Links to places that the text does not have, and those without any address, become their text. */
function withoutDeadLinks(html: string, ids: ReadonlySet<string>): string {
  return html.replaceAll(/<a(?: href="#text-([^"]*)")?((?: [^>]*)?)>([^]*?)<\/a>/g, (link, place, others, text) => {
    if (place === undefined ? /^ (?:href|data-path)=/.test(others) : ids.has(place)) return text === '' ? '' : link;
    return text;
  });
}

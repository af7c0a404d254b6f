// Decides whether a browser draws an SVG soon. A small SVG can keep a browser busy for minutes, in more ways than a list
// of them could name. So this is a list of what is allowed: elements, attributes, properties, and how many numbers.
// Text is not allowed: what it costs depends on the fonts of the reader's machine.

/** `numbers`: of all attributes; a stroke and an arc cost more than a filled area. `layers`: drawn apart, then joined. */
const limits = {
  bytes: 256 * 1024,
  elements: 800,
  depth: 60,
  uses: 6,
  bytesWithUses: 16 * 1024,
  layers: 50,
};
const numbers = { all: 20_000, withStrokes: 6000, ofArcs: 2000, largest: 20_000 };

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const elements = words(
  'svg g defs title desc metadata path rect circle ellipse line polyline polygon linearGradient ' +
    'radialGradient stop clipPath use symbol a',
);
const properties = words(
  'fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity ' +
    'opacity stop-color stop-opacity color display visibility overflow clip-path clip-rule ' +
    'shape-rendering paint-order',
);
const attributes = words(
  'xmlns version baseProfile id class role width height viewBox preserveAspectRatio x y x1 y1 x2 y2 cx cy r rx ry fx ' +
    'fy d points transform gradientTransform gradientUnits spreadMethod offset clipPathUnits href ' +
    'target rel style aria-label aria-labelledby aria-hidden focusable lang tabindex',
);
/** their values are names, and no lengths */
const named = words('id class role xmlns href target rel aria-label aria-labelledby lang baseProfile version');
const svgNamespace = 'http://www.w3.org/2000/svg';

/** One tag with its attributes; a name with a prefix is of another namespace. */
const tag = /<(\/?)([A-Za-z][\w.-]*:)?([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<&]*"|'[^'<&]*'))*)\s*(\/?)>/y;
const attribute = /([\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const beside =
  /^(?:\xef\xbb\xbf)?\s*(?:<\?xml\s[^>]*\?>\s*|<!--(?:[^-]|-(?!->))*-->\s*|<!DOCTYPE svg(?:\s+(?:[A-Z]+|"[^"<>]*"))*\s*>\s*)*/;
const comment = /<!--(?:[^-]|-(?!->))*-->/g;

/** Undecided cases are false: the SVG is then shown as text. */
export function isDrawnSoon(svg: Buffer): boolean {
  if (svg.length > limits.bytes) return false;
  const whole = svg.toString('latin1');
  if (/[\0-\x08\x0b\x0c\x0e-\x1f]|\bencoding\s*=\s*["'](?!utf-8["'])/i.test(whole)) return false;
  const text = whole.replace(beside, '').replace(comment, '');
  const found: Found = { elements: 0, depth: 0, uses: 0, layers: 0, numbers: 0, ofArcs: 0, strokes: 0 };
  let at = 0;
  while ((at = text.indexOf('<', at)) !== -1) {
    tag.lastIndex = at;
    const [all, closing, prefix, name = '', given = '', empty] = tag.exec(text) ?? [];
    if (all === undefined || (prefix === undefined && !elements.has(name))) return false;
    found.elements += 1;
    found.depth += closing === '/' ? -1 : empty === '/' ? 0 : 1;
    if (name === 'use') found.uses += 1;
    if (found.depth > limits.depth || !isHarmless(given, found)) return false;
    at += all.length;
  }
  return isCheap(found, svg.length);
}

function isCheap({ elements: tags, uses, layers, numbers: count, ofArcs, strokes }: Found, bytes: number): boolean {
  const hasFewUses = uses === 0 || (uses <= limits.uses && bytes <= limits.bytesWithUses);
  const hasFewNumbers = count <= (strokes === 0 ? numbers.all : numbers.withStrokes) && ofArcs <= numbers.ofArcs;
  return hasFewUses && hasFewNumbers && tags <= 2 * limits.elements && layers <= limits.layers;
}

interface Found {
  elements: number;
  depth: number;
  uses: number;
  layers: number;
  numbers: number;
  ofArcs: number;
  strokes: number;
}

/** Adds what the attributes cost. Attributes of other namespaces mean nothing to a browser, but for a namespace itself. */
function isHarmless(given: string, found: Found): boolean {
  for (const [, prefix, name = '', double, single] of given.matchAll(attribute)) {
    const value = (double ?? single ?? '').toLowerCase();
    const isNamespace = prefix === 'xmlns:' || (prefix === undefined && name === 'xmlns');
    if (isNamespace && ((prefix === undefined) !== (value === svgNamespace) || /xhtml/i.test(value))) return false;
    if (prefix !== undefined && name === 'href' && !value.startsWith('#')) return false;
    if (prefix !== undefined || isNamespace) continue;
    const isStyle = name === 'style';
    const isProperty = properties.has(name);
    if (!(isStyle ? isPlainStyle(value) : isProperty ? isPlainStyle(`${name}:${value}`) : attributes.has(name)))
      return false;
    if (name === 'href' && !/^(?:#|https:)/.test(value)) return false;
    const lengths = named.has(name) ? [] : numbersIn(value);
    if (lengths.some((one) => Math.abs(one) > numbers.largest)) return false;
    found.numbers += lengths.length;
    if (name === 'd' && /a/i.test(value)) found.ofArcs += lengths.length;
    if ((name === 'stroke' && value !== 'none') || (isStyle && /stroke\s*:(?!\s*none)/.test(value))) found.strokes += 1;
    if (name === 'opacity' || name === 'clip-path' || (isStyle && /\bopacity|clip-path/.test(value))) found.layers += 1;
  }
  return true;
}

/** Declarations of known properties, without functions but colours and references to the same file. */
function isPlainStyle(value: string): boolean {
  if (/[\\@{}/]/.test(value) || /\((?!#)/.test(value.replace(/\b(?:rgba?|hsla?)\(/g, ''))) return false;
  return value
    .split(';')
    .filter((one) => one.trim() !== '')
    .every((one) => properties.has((/^\s*([\w-]+)\s*:/.exec(one)?.[1] ?? '').toLowerCase()));
}

/** Without those of colours and references. */
function numbersIn(value: string): readonly number[] {
  const found = value.replace(/#[\w-]+/g, ' ').match(/-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi);
  return (found ?? []).map(Number);
}

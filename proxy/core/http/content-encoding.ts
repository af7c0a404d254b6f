// Chooses the content encoding that a client prefers: RFC 9110 §12.5.3, with q-values and `*`. Pure, linear, never
// throws.

export type Encoding = 'identity' | 'gzip' | 'br';

// The header of Composer's curl, and a missing header, need no parsing.
const known: ReadonlyMap<string, Encoding> = new Map<string, Encoding>([
  ['deflate, gzip, br, zstd', 'br'],
  ['deflate, gzip, br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
]);

/**
 * The best of br, gzip and identity; equal weights prefer the smaller result. Identity if no encoding is acceptable,
 * because an answer is better than an error.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity';
  return known.get(acceptEncoding) ?? weighEncodings(acceptEncoding);
}

function weighEncodings(header: string): Encoding {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [coding = '', ...parameters] = part.split(';');
    const name = coding.trim().toLowerCase();
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, qualityOf(parameters));
  }
  const any = weights.get('*') ?? 0;
  const br = weights.get('br') ?? any;
  const gzip = weights.get('gzip') ?? any;
  // an unlisted identity is acceptable, but chosen last
  const identity = weights.get('identity') ?? 0;
  if (br > 0 && br >= gzip && br >= identity) return 'br';
  return gzip > 0 && gzip >= identity ? 'gzip' : 'identity';
}

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameter);
    if (match?.[1] !== undefined) return Number(match[1]);
    if (/^\s*q\s*=/i.test(parameter)) return 0; // a malformed weight: leave this coding alone
  }
  return 1;
}

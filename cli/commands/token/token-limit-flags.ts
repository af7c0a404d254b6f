// Parses the flags with the limits of a token. proxy/core/views/token-limits.ts checks the values, as for the
// management API.

import { parseLimits, type TokenLimits } from '../../../proxy/core/views/token-limits.ts';
import { UsageError } from '../../io/usage-error.ts';

/** The values of `--clear`, and the limits that each removes. */
const clearable: Readonly<Record<string, readonly (keyof TokenLimits)[]>> = {
  packages: ['packages', 'constraints'],
  stability: ['stability'],
  'not-after': ['not_after'],
  networks: ['networks'],
};

const flagOf: Readonly<Record<keyof TokenLimits, string>> = {
  packages: '--package',
  constraints: '--package',
  stability: '--stability',
  not_after: '--not-after',
  networks: '--network',
};

/** `constraints.acme/core` → `--package acme/core: `; empty for a path of no limit. */
export function flagOfLimit(path: string): string {
  const [field = '', ...rest] = path.split('.');
  const flag = (flagOf as Readonly<Record<string, string>>)[field];
  if (flag === undefined) return '';
  return `${flag}${field === 'constraints' && rest.length > 0 ? ` ${rest.join('.')}` : ''}: `;
}

export const limitFlags: readonly string[] = ['package', 'stability', 'notAfter', 'network', 'clear'];

/** The given limits. Throws UsageError with all faults of all flags, a line each. */
export function parseLimitFlags(flags: Readonly<Record<string, unknown>>): Partial<TokenLimits> {
  const problems: string[] = [];
  const given = {
    ...cleared(flags['clear'], problems),
    ...packageLimits(flags['package'], problems),
    ...(flags['stability'] === undefined ? {} : { stability: flags['stability'] }),
    ...(flags['notAfter'] === undefined ? {} : { not_after: flags['notAfter'] }),
    ...(flags['network'] === undefined ? {} : { networks: flags['network'] }),
  };
  for (const word of (flags['clear'] as readonly string[] | undefined) ?? []) {
    for (const limit of clearable[word] ?? [])
      if ((given as Partial<TokenLimits>)[limit] !== null)
        problems.push(`--clear ${word} removes the limit that ${flagOf[limit]} sets. Use one of them.`);
  }
  const parsed = parseLimits(given);
  if ('issues' in parsed) problems.push(...parsed.issues.map(({ path, message }) => `${flagOfLimit(path)}${message}`));
  if (problems.length > 0) throw new UsageError([...new Set(problems)].join('\n'));
  return 'limits' in parsed ? parsed.limits : {};
}

function cleared(words: unknown, problems: string[]): Partial<TokenLimits> {
  const limits: Partial<Record<keyof TokenLimits, null>> = {};
  for (const word of (words as readonly string[] | undefined) ?? []) {
    const names = clearable[word];
    if (names === undefined)
      problems.push(
        `--clear ${JSON.stringify(word)} is none of the limits of a token; allowed: ` +
          `${Object.keys(clearable).join(', ')}.`,
      );
    for (const name of names ?? []) limits[name] = null;
  }
  return limits;
}

/** `acme/*`, `acme/core:<3.0`: together they are the visible packages of the token, and replace the previous list. */
function packageLimits(texts: unknown, problems: string[]): Partial<Record<'packages' | 'constraints', unknown>> {
  if (texts === undefined) return {};
  const packages: string[] = [];
  const constraints = new Map<string, string>();
  for (const text of texts as readonly string[]) {
    const colon = text.indexOf(':');
    const pattern = colon < 0 ? text : text.slice(0, colon);
    packages.push(pattern);
    if (colon < 0) continue;
    if (constraints.has(pattern))
      problems.push(
        `--package ${pattern} has two constraints. Write them as one, with a blank between them for both or || ` +
          'for either.',
      );
    constraints.set(pattern, text.slice(colon + 1));
  }
  return { packages, constraints: constraints.size === 0 ? null : Object.fromEntries(constraints) };
}

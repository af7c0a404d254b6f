// The text about the packages that a token can see. Pure.

import type { TokenLimits } from '../core/views/token-limits.ts';

/** Describes only the limits that are set. */
export function describeLimits({
  packages,
  constraints,
  stability,
  not_after: notAfter,
  networks,
}: TokenLimits): (readonly [string, string])[] {
  return [
    ...(packages === null ? [] : [['packages', packages.join(', ')] as const]),
    ...(constraints === null
      ? []
      : [
          [
            'versions',
            Object.entries(constraints)
              .map(([pattern, constraint]) => `${pattern}: ${constraint}`)
              .join(', '),
          ] as const,
        ]),
    ...(stability === null
      ? []
      : [['stability', stability === 'stable' ? 'stable' : `${stability} or more stable`] as const]),
    ...(notAfter === null ? [] : [['released', `until ${momentText(notAfter)}`] as const]),
    ...(networks === null ? [] : [['networks', networks.join(', ')] as const]),
  ];
}

/** `2027-01-31` for the end of a day, `2027-01-31 12:00 UTC`. */
export function momentText(at: string): string {
  const day = at.slice(0, 10);
  return at.endsWith('T23:59:59.999Z') ? day : `${day} ${at.slice(11, 16)} UTC`;
}

const widest = 40;

/** For a column of a table. */
export function summarizeLimits(limits: TokenLimits): string {
  const { packages, constraints, ...others } = limits;
  const names = packages ?? (constraints === null ? [] : ['*']);
  const seen = [
    ...names.map((name) => (constraints?.[name] === undefined ? name : `${name}:${constraints[name]}`)),
    ...Object.keys(constraints ?? {})
      .filter((name) => !names.includes(name))
      .map((name) => `${name}:${constraints?.[name] ?? ''}`),
  ];
  const parts = [
    ...(seen.length === 0 ? [] : [seen.join(' ')]),
    ...describeLimits({ packages: null, constraints: null, ...others }).map(([label, value]) =>
      label === 'networks' ? `from ${value}` : value,
    ),
  ];
  const text = parts.length === 0 ? 'all' : parts.join('; ');
  return text.length <= widest ? text : `${text.slice(0, widest - 1)}…`;
}

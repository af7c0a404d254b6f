// What a token sees: the number of packages and the first of them, its other limits, and the runs of Composer that its
// hourly limit allows.

import type { Child } from 'hono/jsx';
import { listShortly } from '../../../../build/shared/text/list-shortly.ts';
import { describeAllowance } from '../../../auth/token-allowance.ts';
import { describeLimits } from '../../../auth/token-limit-text.ts';
import type { TokenLimits } from '../../../core/views/token-limits.ts';
import { Icon } from '../../components/icon.tsx';
import { A } from '../../components/place.tsx';
import { counted, shownNumber } from '../../components/quantity.ts';
import type { Issue } from '../../request/form-fields.ts';
import type { SeenPackage, SeenPackages } from './seen-packages.ts';

export interface Seen {
  readonly packages: SeenPackages;
  readonly limits: TokenLimits;
  /** requests an hour; 0: without a limit */
  readonly rateLimit: number;
  /** true: the token may see packages of other registries too */
  readonly mirrors: boolean;
}

interface SeenPanelProps {
  /** or the faults of the limits that were typed */
  readonly seen: Seen | { readonly issues: readonly Issue[] };
  /** true: the names are links */
  readonly isLinked?: boolean;
}

export function SeenPanel({ seen, isLinked = false }: SeenPanelProps): Child {
  return (
    <section id="preview" class="panel brief">
      {'issues' in seen ? <Faults issues={seen.issues} /> : <Shown {...seen} isLinked={isLinked} />}
    </section>
  );
}

function Faults({ issues }: { readonly issues: readonly Issue[] }): Child {
  return (
    <>
      <h2>No preview yet</h2>
      <ul class="stack-tight small">
        {issues.map(({ message }) => (
          <li>{message}</li>
        ))}
      </ul>
    </>
  );
}

function Shown({ packages, limits, rateLimit, mirrors, isLinked }: Seen & { readonly isLinked: boolean }): Child {
  const { total, seen, first } = packages;
  return (
    <>
      <h2>{`Sees ${shownNumber(seen)} of ${counted(total, 'package')}`}</h2>
      {first.length === 0 ? null : (
        <ul class={`plain stack-tight${isLinked ? '' : ' small'}`}>
          {first.map((one) => (
            <Line {...one} isLinked={isLinked} />
          ))}
        </ul>
      )}
      <p class="small soft">{restOf(packages)}</p>
      {packages.unmatched.length === 0 ? null : (
        <Warning>No published package matches {listShortly(packages.unmatched)}.</Warning>
      )}
      {packages.missing.length === 0 ? null : <Warning>{missingText(packages.missing)}</Warning>}
      <Words limits={limits} />
      <p class="small soft">{describeAllowance(rateLimit).replaceAll('`', '')}</p>
      {mirrors ? <p class="small soft">Mirrored packages are not counted. The same limits apply to them.</p> : null}
    </>
  );
}

function Line({ name, seen, total, isLinked }: SeenPackage & { readonly isLinked: boolean }): Child {
  return (
    <li class="row whole">
      <Icon name="eye" />
      {isLinked ? <A to={`/packages/${name}`}>{name}</A> : <span>{name}</span>}
      {seen === total ? null : <span class="soft">{`${shownNumber(seen)} of ${counted(total, 'version')}`}</span>}
    </li>
  );
}

/** `7 more are seen. 28 packages are hidden.` */
function restOf({ total, seen, first }: SeenPackages): string {
  const more = seen - first.length;
  const hidden = total - seen;
  return [
    ...(more === 0 ? [] : [`${shownNumber(more)} more ${more === 1 ? 'is' : 'are'} seen.`]),
    hidden === 0 ? 'No package is hidden.' : `${counted(hidden, 'package')} ${hidden === 1 ? 'is' : 'are'} hidden.`,
  ].join(' ');
}

function Warning({ children }: { readonly children?: Child }): Child {
  return (
    <p class="row whole small">
      <Icon name="triangle-alert" />
      <span>{children}</span>
    </p>
  );
}

/** `acme/billing requires acme/core, which the token does not see. Composer cannot install versions that need it.` */
function missingText([first, ...others]: SeenPackages['missing']): string {
  const more = others.length === 0 ? '' : ` The same holds for ${counted(others.length, 'other requirement')}.`;
  return `${first?.requiredBy} requires ${first?.name}, which the token does not see. Composer cannot install versions that need it.${more}`;
}

/** The limits in words. */
export function Words({ limits }: { readonly limits: TokenLimits }): Child {
  const words = describeLimits(limits);
  if (words.length === 0) return null;
  return (
    <dl class="facts small">
      {words.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

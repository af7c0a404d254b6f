// What a token sees: the number of packages and the first of them, its other limits, and the runs of Composer that its
// hourly limit allows.

import type { Child } from 'hono/jsx';
import { listShortly } from '../../../../build/shared/text/list-shortly.ts';
import { describeAllowance } from '../../../auth/token-allowance.ts';
import { describeLimits } from '../../../auth/token-limit-text.ts';
import type { TokenLimits } from '../../../core/views/token-limits.ts';
import { Fact } from '../../components/fact.tsx';
import { Icon } from '../../components/icon.tsx';
import { A } from '../../components/place.tsx';
import { formatCount, formatNumber } from '../../components/values.tsx';
import { suggestionsId } from './limit-builder.tsx';
import type { VisiblePackage, VisibilityCounts } from './visible-packages.ts';
import type { FieldFault } from '../../../../build/contract/errors.ts';

export interface VisibilityPreview {
  readonly packages: VisibilityCounts;
  readonly limits: TokenLimits;
  /** requests an hour; 0: without a limit */
  readonly rateLimit: number;
  /** true: the token may see packages of other registries too */
  readonly mirrors: boolean;
}

interface VisibilityPanelProps {
  /** or the faults of the limits that were typed */
  readonly preview: VisibilityPreview | { readonly issues: readonly FieldFault[] };
  /** true: the names are links */
  readonly isLinked?: boolean;
  /** for the rows of a form; they follow what is typed, as the preview does */
  readonly suggestions?: readonly string[];
}

export function VisibilityPanel({ preview, isLinked = false, suggestions }: VisibilityPanelProps): Child {
  return (
    <section id="preview" class="panel brief">
      {suggestions === undefined ? null : (
        <datalist id={suggestionsId}>
          {suggestions.map((name) => (
            <option value={name}></option>
          ))}
        </datalist>
      )}
      {'issues' in preview ? <Faults issues={preview.issues} /> : <Preview {...preview} isLinked={isLinked} />}
    </section>
  );
}

function Faults({ issues }: { readonly issues: readonly FieldFault[] }): Child {
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

function Preview({
  packages,
  limits,
  rateLimit,
  mirrors,
  isLinked,
}: VisibilityPreview & { readonly isLinked: boolean }): Child {
  const { total, visible, first } = packages;
  return (
    <>
      <h2>{`Sees ${formatNumber(visible)} of ${formatCount(total, 'package')}`}</h2>
      {first.length === 0 ? null : (
        <ul class={`plain stack-tight${isLinked ? '' : ' small'}`}>
          {first.map((one) => (
            <Line {...one} isLinked={isLinked} />
          ))}
        </ul>
      )}
      <p class="small soft">{countsText(packages)}</p>
      {packages.unmatched.length === 0 ? null : (
        <Warning>No published package matches {listShortly(packages.unmatched)}.</Warning>
      )}
      {packages.missing.length === 0 ? null : <Warning>{missingText(packages.missing)}</Warning>}
      <LimitWords limits={limits} />
      <p class="small soft">{describeAllowance(rateLimit).replaceAll('`', '')}</p>
      {mirrors ? <p class="small soft">Mirrored packages are not counted. The same limits apply to them.</p> : null}
    </>
  );
}

function Line({ name, visible, total, isLinked }: VisiblePackage & { readonly isLinked: boolean }): Child {
  return (
    <li class="row whole">
      <Icon name="eye" />
      {isLinked ? <A to={`/packages/${name}`}>{name}</A> : <span>{name}</span>}
      {visible === total ? null : (
        <span class="soft">{`${formatNumber(visible)} of ${formatCount(total, 'version')}`}</span>
      )}
    </li>
  );
}

/** `7 more are seen. 28 packages are hidden.` */
function countsText({ total, visible, first }: VisibilityCounts): string {
  const more = visible - first.length;
  const hidden = total - visible;
  return [
    ...(more === 0 ? [] : [`${formatNumber(more)} more ${more === 1 ? 'is' : 'are'} seen.`]),
    hidden === 0 ? 'No package is hidden.' : `${formatCount(hidden, 'package')} ${hidden === 1 ? 'is' : 'are'} hidden.`,
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
function missingText([first, ...others]: VisibilityCounts['missing']): string {
  const more = others.length === 0 ? '' : ` The same holds for ${formatCount(others.length, 'other requirement')}.`;
  return `${first?.requiredBy} requires ${first?.name}, which the token does not see. Composer cannot install versions that need it.${more}`;
}

/** The limits in words. */
function LimitWords({ limits }: { readonly limits: TokenLimits }): Child {
  const words = describeLimits(limits);
  if (words.length === 0) return null;
  return (
    <dl class="facts small">
      {words.map(([label, value]) => (
        <Fact label={label}>{value}</Fact>
      ))}
    </dl>
  );
}

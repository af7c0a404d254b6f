// The page of one token: facts, use, what it sees, and why it sees a package or not.

import type { Child } from 'hono/jsx';
import type { PublishedFrom } from '../../../artifacts/published-from.ts';
import type { TokenUsage } from '../../../auth/token-standings.ts';
import { effectiveLimit, isFixed, isOfPublisher, tokenStatus } from '../../../core/tokens/token.ts';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import type { UsedPackage } from '../../../usage/used-packages.ts';
import { CiRun } from '../ci-run.tsx';
import { ExplanationPanel, type ExplanationPanelProps } from './explanation-panel.tsx';
import { KindBadge, StateBadge } from './list-page.tsx';
import { VisibilityPanel, type VisibilityPreview } from './visibility-panel.tsx';
import { tokenPath } from './services.ts';

export interface TokenPageProps {
  readonly standing: TokenUsage;
  readonly preview: VisibilityPreview;
  readonly author: string;
  readonly explained: Omit<ExplanationPanelProps, 'record'>;
  /** the CI job that has the token; undefined: no trusted publisher made it */
  readonly run: PublishedFrom | undefined;
  readonly used: readonly UsedPackage[];
  /** true: the visitor may open the page of its publisher */
  readonly seesPublisher: boolean;
  /** true: the visitor may open the pages of people */
  readonly seesPeople: boolean;
}

export function TokenPage(props: TokenPageProps): Child {
  const { standing, preview, explained } = props;
  const { record, nowMs } = standing;
  const status = tokenStatus(record, nowMs);
  return (
    <>
      <PageHead
        title={record.description}
        sentence={
          <span class="row">
            <KindBadge kind={record.kind} />
            <StateBadge status={status} />
            <code>{record.id}</code>
          </span>
        }
        trail={[{ label: 'Tokens', to: '/tokens' }]}
        actions={status === 'revoked' ? undefined : <Actions path={tokenPath(record)} isFixed={isFixed(record)} />}
      />
      {isFixed(record) ? (
        <Notice kind={status === 'active' ? 'info' : 'warn'}>
          {(isOfPublisher(record) ? jobTokenWords : personalTokenWords)[status]}
        </Notice>
      ) : status === 'active' ? null : (
        <Notice kind="warn">
          {status === 'revoked'
            ? 'The token is revoked. The registry refuses it, and it cannot be used again: create another.'
            : 'The token has expired. The registry refuses it. Edit its expiry to use it again.'}
        </Notice>
      )}
      <div class="two-columns">
        <div class="stack">
          <VisibilityPanel preview={preview} isLinked />
          {/* the question is about the limits of the token, and a person's token has none of its own */}
          {record.person === undefined ? <ExplanationPanel record={record} {...explained} /> : null}
        </div>
        <Facts {...props} />
      </div>
    </>
  );
}

const jobTokenWords = {
  active: 'A CI job has this token. It ends soon, and cannot be edited or rotated.',
  expired: 'The token of a CI job has expired. The registry refuses it. The next job gets another.',
  revoked: 'The token of a CI job has ended. The registry refuses it. The next job gets another.',
} as const;

const personalTokenWords = {
  active: 'A person has this token from `libretto login`. It has their role, and cannot be edited or rotated.',
  expired: 'The token of a person has expired. The registry refuses it. `libretto login` gives them another.',
  revoked: 'The token of a person has ended. The registry refuses it. `libretto login` gives them another.',
} as const;

/** `isFixed`: the token can only be revoked. */
function Actions({ path, isFixed }: { readonly path: string; readonly isFixed: boolean }): Child {
  return (
    <>
      {isFixed ? null : (
        <>
          <ButtonLink to={`${path}/edit`} icon="pencil" label="Edit" />
          <ButtonLink to={`${path}/rotate`} icon="refresh-cw" data-dialog label="Rotate" />
        </>
      )}
      <ButtonLink to={`${path}/revoke`} icon="ban" kind="danger" data-dialog label="Revoke" />
    </>
  );
}

function Facts({ standing, author, run, used, seesPublisher, seesPeople }: TokenPageProps): Child {
  const { record, use, nowMs } = standing;
  const { previous_expires_at: former } = record;
  const time = (at: string): Child => <Time at={at} />;
  return (
    <div class="stack">
      <dl class="facts panel">
        <Fact label="Last use">
          {use === undefined ? (
            'never'
          ) : (
            <>
              {time(new Date(use.atMs).toISOString())} from <code>{use.from}</code>
            </>
          )}
        </Fact>
        <Fact label="This hour" value={<Window {...standing} />} />
        <Fact label="Expires">{record.expires_at === null ? 'never' : time(record.expires_at)}</Fact>
        {record.revoked_at === null ? null : <Fact label="Revoked">{time(record.revoked_at)}</Fact>}
        {former !== null && nowMs < Date.parse(former) ? <Fact label="Former secret ends">{time(former)}</Fact> : null}
        <Fact label="Created">
          {time(record.created_at)} by{' '}
          {run !== undefined && seesPublisher ? <A to={`/publishers/${run.publisher}`}>{author}</A> : author}
        </Fact>
        {record.person === undefined ? null : (
          <Fact label="Person">{seesPeople ? <A to={`/people/${record.person}`}>{author}</A> : author}</Fact>
        )}
        {run === undefined ? null : <Fact label="Run" value={<CiRun run={run} />} />}
      </dl>
      <Uses used={used} />
    </div>
  );
}

const mostShown = 20;

function Uses({ used }: Pick<TokenPageProps, 'used'>): Child {
  if (used.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>Uses</h2>
      <ul class="stack-tight plain">
        {used.slice(0, mostShown).map(({ name, last }) => (
          <li class="breaks">
            <A to={`/packages/${name}`}>{name}</A> <span class="soft small">last on {last}</span>
          </li>
        ))}
      </ul>
      {used.length > mostShown ? <p class="soft small">and {used.length - mostShown} more</p> : null}
    </section>
  );
}

/** The requests of the running window, of those that the limit allows. */
function Window({ record, defaults, window }: TokenUsage): Child {
  const limit = effectiveLimit(record, defaults);
  if (limit === 0) return 'no limit';
  const used = window?.used ?? 0;
  return (
    <>
      <meter aria-label="Requests this hour" min={0} max={limit} high={limit * 0.8} value={Math.min(used, limit)}>
        {used}
      </meter>
      <p>{`${formatNumber(used)} of ${formatCount(limit, 'request')}`}</p>
      {window === undefined ? null : (
        <p class="small soft">
          The count ends <Time at={new Date(window.endsAtMs).toISOString()} />.
        </p>
      )}
      {record.limit === null ? <p class="small soft">The limit is the default of {record.kind} tokens.</p> : null}
    </>
  );
}

// The terminals of a person: the list on the account page, and the question before one ends.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf, type SessionCaller } from '../../../auth/caller.ts';
import { endPersonalToken, personalTokens } from '../../../auth/personal-tokens.ts';
import type { TokenRecord } from '../../../core/tokens/token.ts';
import type { TokenUse, TokenUses } from '../../../core/tokens/token-uses.ts';
import type { Tokens } from '../../../auth/tokens.ts';
import type { Actor } from '../../../state/audit.ts';
import { filterOf } from '../../../core/views/view.ts';
import { usedPackages, type UsedPackage } from '../../../usage/used-packages.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import { ButtonLink } from '../../components/form.tsx';
import { A } from '../../components/place.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import type { Pages } from '../../frame/pages.ts';
import { question } from './question.tsx';

export interface OwnTokenPageServices {
  readonly tokensOf: (actor: Actor) => Tokens;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly uses: Pick<TokenUses, 'of'>;
}

export interface Terminal {
  readonly record: TokenRecord;
  /** undefined: it was never used */
  readonly use: TokenUse | undefined;
  readonly used: readonly UsedPackage[];
}

/** Newest first. */
export async function readTerminals(
  { state, uses }: OwnTokenPageServices,
  { userId, view }: SessionCaller,
  nowMs: number,
): Promise<readonly Terminal[]> {
  const records = await personalTokens(state, userId, nowMs);
  const packages = await Promise.all(records.map(({ id }) => usedPackages(state, id)));
  const used = await uses.of(records.map(({ id }) => id));
  return records.map((record, at) => ({
    record,
    use: used.get(record.id),
    // a package that the person no longer sees stays hidden
    used: (packages[at] ?? []).filter(({ name }) => filterOf(view, name) !== 'none'),
  }));
}

export function registerOwnTokenPages(pages: Pages, services: OwnTokenPageServices): void {
  pages.form({
    path: '/account/tokens/:id/end',
    operation: 'endOwnToken',
    show: async ({ caller, param, nowMs }, state) => {
      const found = (await readTerminals(services, caller, nowMs)).find(({ record }) => record.id === param('id'));
      if (found === undefined)
        throw new RegistryError('NOT_FOUND', { message: 'This token has ended already, or is not yours.' });
      const sentence = `${found.record.description}: its token ends with the next request.`;
      return question('Sign this terminal out?', sentence, { state, submit: 'Sign out' });
    },
    submit: async ({ caller, param }) => {
      await endPersonalToken(services.tokensOf(actorOf(caller)), caller.userId, param('id'));
      return { to: '/account', notice: 'token-ended' };
    },
  });
}

export interface TerminalListProps {
  readonly terminals: readonly Terminal[];
  /** true: the visitor may open the list of the tokens that they created */
  readonly seesTokens: boolean;
}

export function TerminalList({ terminals, seesTokens }: TerminalListProps): Child {
  return (
    <section class="stack">
      <div class="row">
        <h2>Terminals</h2>
        <span class="row-end">
          <ButtonLink to="/device" kind="small" icon="key-round" label="Enter a code" />
        </span>
      </div>
      {terminals.length === 0 ? (
        <p class="soft">
          None. <code>libretto login</code> signs a terminal in.
        </p>
      ) : (
        <Table caption="Your terminals" columns={columns} rows={terminals} />
      )}
      {seesTokens ? (
        <p class="soft">
          <A to="/tokens">Tokens</A> shows the tokens that you created, and what is known of their use.
        </p>
      ) : null}
    </section>
  );
}

const columns: readonly Column<Terminal>[] = [
  { label: 'Terminal', cell: ({ record }) => record.description },
  { label: 'Last use', cell: ({ use }) => <LastUse use={use} /> },
  { label: 'Last packages', cell: ({ used }) => <span class="breaks">{lastUsed(used)}</span> },
  { label: 'Ends', cell: ({ record }) => <Time at={record.expires_at} none="never" /> },
  {
    label: 'Action',
    isPlain: true,
    cell: ({ record: { id, description } }) => (
      <ButtonLink
        to={`/account/tokens/${id}/end`}
        kind="small"
        aria-label={`Sign out: ${description}`}
        data-dialog
        label="Sign out"
      />
    ),
  },
];

/** `acme/core (2026-11-21), acme/ui (2026-11-02) and 3 more`. */
function lastUsed(used: readonly UsedPackage[]): string {
  const left = used.length - 2;
  return `${used
    .slice(0, 2)
    .map(({ name, last }) => `${name} (${last})`)
    .join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function LastUse({ use }: { readonly use: TokenUse | undefined }): Child {
  if (use === undefined) return <>never</>;
  return (
    <>
      <Time at={new Date(use.atMs).toISOString()} />, from {use.from}
    </>
  );
}

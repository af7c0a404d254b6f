// Asks before the registry is rolled back to a publication, and shows what that would change.

import type { Child } from 'hono/jsx';
import { actorOf } from '../../../auth/caller.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { PlannedRollback } from '../../../inspection/rollbacks.ts';
import { ButtonLink, Form as FormView, TextField } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatCount } from '../../components/values.tsx';
import type { FormPage, SignedInRequest } from '../../frame/definitions.ts';
import { fieldFault, type FormState } from '../../request/form-fields.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';
import { readUsedBy, UsedBy, type UsedByProps } from '../package/used-by.tsx';
import { serialParam } from './serial.ts';

const serialField = 'serial';

export function rollBackForm(services: UsageServices & { readonly inspection: () => Promise<Inspection> }): FormPage {
  const { inspection } = services;
  return {
    path: '/history/:serial/roll-back',
    operation: 'rollBack',
    awaitsBuilder: true,
    show: async (request, form) => {
      const to = serialParam(request);
      const preview = await (await inspection()).rollbacksOf(actorOf(request.caller)).preview(to);
      const usedBy = await readUsers(services, request, preview);
      return {
        title: `Roll back to publication ${to}`,
        section: 'history',
        content: <RollBack {...{ to, preview, form, usedBy }} may={request.may} asksPassword={request.asksPassword} />,
      };
    },
    submit: async (request, fields) => {
      const to = serialParam(request);
      const rollbacks = (await inspection()).rollbacksOf(actorOf(request.caller));
      const { withdrawn } = await rollbacks.preview(to);
      if (withdrawn.length > 0 && fields.text(serialField) !== String(to))
        throw fieldFault(serialField, `Write ${to}: the rollback withdraws versions.`);
      const { published, serial, stays_out: out } = await rollbacks.rollBack(to);
      const done = out.length === 0 ? 'rolled-back' : 'rolled-back-partly';
      return { to: `/history/${serial}`, notice: published ? done : 'unchanged' };
    },
  };
}

const mostPackages = 10;

/** Who uses the versions that go, of the first packages; empty: the visitor may not know it. */
async function readUsers(
  services: UsageServices,
  request: SignedInRequest,
  { withdrawn }: PlannedRollback,
): Promise<readonly UsedByProps[]> {
  const names = [...new Set(withdrawn.map(({ name }) => name))].slice(0, mostPackages);
  const found = await Promise.all(
    names.map((name) => {
      const versions = withdrawn.filter((one) => one.name === name).map(({ version }) => version);
      return readUsedBy(services, request, name, versions);
    }),
  );
  return found.flatMap((one) => one ?? []);
}

interface RollBackProps {
  readonly to: number;
  readonly preview: PlannedRollback;
  /** of the packages with withdrawn versions */
  readonly usedBy: readonly UsedByProps[];
  readonly form: FormState;
  readonly may: SignedInRequest['may'];
  readonly asksPassword: boolean;
}

function RollBack(props: RollBackProps): Child {
  const { to, preview, usedBy, may } = props;
  const { added, changed, withdrawn, metadata } = preview;
  const isNothing = added.length + changed.length + withdrawn.length + metadata.length === 0;
  return (
    <>
      <PageHead
        title={`Roll back to publication ${to}?`}
        sentence="A new publication offers the versions of that one again, except those that people withdrew or purged."
        trail={[
          { label: 'Releases', to: '/history' },
          { label: `Publication ${to}`, to: `/history/${to}` },
        ]}
      />
      <StayingOut {...{ to, may }} versions={preview.stays_out} />
      {isNothing ? (
        <>
          <Notice kind="info">The registry already offers everything of publication {to} that may return.</Notice>
          <div>
            <ButtonLink to={`/history/${to}`} label={`Back to publication ${to}`} />
          </div>
        </>
      ) : (
        <>
          <Changes {...preview} />
          {usedBy.map((one) => (
            <section>
              <h3>{one.name}</h3>
              <UsedBy {...one} />
            </section>
          ))}
          <Confirmation {...props} />
        </>
      )}
    </>
  );
}

/** Whoever withdraws versions writes the number of the publication. */
function Confirmation({ to, preview: { withdrawn }, form, asksPassword }: RollBackProps): Child {
  return (
    <FormView state={form} asksPassword={asksPassword} submit={`Roll back to ${to}`} isDanger cancel={`/history/${to}`}>
      {withdrawn.length === 0 ? null : (
        <TextField
          name={serialField}
          label={`Write ${to} to confirm`}
          hint={`Composer no longer finds ${formatCount(withdrawn.length, 'version')} afterwards.`}
          autocomplete="off"
          inputmode="numeric"
          required
        />
      )}
    </FormView>
  );
}

function Changes({ added, changed, withdrawn, metadata }: PlannedRollback): Child {
  return (
    <>
      {withdrawn.length === 0 ? null : (
        <Notice kind="warn">
          The rollback withdraws {formatCount(withdrawn.length, 'version')}. Builds do not publish{' '}
          {withdrawn.length === 1 ? 'it' : 'them'} again until the source has other content.
        </Notice>
      )}
      <Versions title="Withdrawn" versions={withdrawn} />
      <Versions title="Offered again" versions={added} />
      <Versions title="Gets its former content" versions={changed} />
      {metadata.length === 0 ? null : (
        <p class="soft">
          The metadata of {formatCount(metadata.length, 'package')} changes, without a change of a version.
        </p>
      )}
    </>
  );
}

interface StayingOutProps {
  readonly to: number;
  readonly versions: PlannedRollback['stays_out'];
  readonly may: SignedInRequest['may'];
}

function StayingOut({ to, versions, may }: StayingOutProps): Child {
  if (versions.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>Not offered again</h2>
      <p class="soft">
        Publication {to} had them. A rollback neither restores what a person withdrew, nor what was purged.
      </p>
      <ul class="stack-tight plain">
        {versions.slice(0, maxShown).map(({ name, version, why }) => (
          <li>
            <A to={`/packages/${name}/why?${new URLSearchParams({ version })}`}>{name}</A> <code>{version}</code>
            {why === 'purged' ? ': purged for ever' : ': withdrawn by a person '}
            {why === 'withheld' && may('restoreVersion') ? (
              <A
                to={`/packages/${name}/restore?${new URLSearchParams({ version })}`}
                aria-label={`Restore ${name} ${version}`}
                data-dialog
              >
                Restore
              </A>
            ) : null}
          </li>
        ))}
      </ul>
      {versions.length > maxShown ? <p class="soft small">and {versions.length - maxShown} more</p> : null}
    </section>
  );
}

const maxShown = 50;

function Versions({ title, versions }: { readonly title: string; readonly versions: PlannedRollback['added'] }): Child {
  if (versions.length === 0) return null;
  return (
    <section class="stack-tight">
      <h2>{title}</h2>
      <ul class="stack-tight plain">
        {versions.slice(0, maxShown).map(({ name, version }) => (
          <li>
            <A to={`/packages/${name}`}>{name}</A> <code>{version}</code>
          </li>
        ))}
      </ul>
      {versions.length > maxShown ? <p class="soft small">and {versions.length - maxShown} more</p> : null}
    </section>
  );
}

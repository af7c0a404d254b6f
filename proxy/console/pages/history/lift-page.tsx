// Asks before all rollbacks are ended.

import type { Child } from 'hono/jsx';
import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import { ButtonLink, Form as FormView } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { formatCount } from '../../components/values.tsx';
import type { FormPage } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';

const liftPath = '/history/lift-rollbacks';

export function liftForm({ inspection }: { readonly inspection: () => Promise<Inspection> }): FormPage {
  return {
    path: liftPath,
    operation: 'rollBack',
    awaitsBuilder: true,
    show: async ({ asksPassword }, state) => {
      const held = await (await inspection()).publications.held();
      if (held === 0) throw new RegistryError('NOT_FOUND', { message: 'No rollback is in effect.' });
      const sentence = 'The next build publishes the current content of the sources.';
      const trail = [{ label: 'Releases', to: '/history' }];
      return headedPage(
        { section: 'history', title: 'End all rollbacks?', sentence, trail },
        <>
          <p>
            Builds leave {formatCount(held, 'version')} as rolled back until then. Nothing changes before that build.
          </p>
          <FormView {...{ state, asksPassword }} submit="End all rollbacks" cancel="/history" isDanger />
        </>,
      );
    },
    submit: async ({ caller }) => {
      const serial = await (await inspection()).rollbacksOf(actorOf(caller)).lift();
      return { to: `/history/${serial}`, notice: 'lifted' };
    },
  };
}

/** Nothing without a rollback in effect. `held`: the number of versions that rollbacks hold. */
export function RollbacksInEffect({ held, mayLift }: { readonly held: number; readonly mayLift: boolean }): Child {
  if (held === 0) return null;
  return (
    <Notice kind="info">
      <div class="stack-tight">
        <p>
          A rollback is in effect: builds leave {formatCount(held, 'version')} as rolled back, until the source has
          other content.
        </p>
        {mayLift ? (
          <div>
            <ButtonLink to={liftPath} kind="small" icon="rotate-ccw" data-dialog label="End all rollbacks" />
          </div>
        ) : null}
      </div>
    </Notice>
  );
}

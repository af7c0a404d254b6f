// The questions before an upload is withdrawn, and before unused ZIPs are removed.

import { cleanUpArtifacts, deleteArtifact, getArtifact } from '../../../artifacts/operations.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatCount, formatBytes } from '../../components/quantity.ts';
import type { FormPage, PageView, SignedInRequest } from '../../frame/definitions.ts';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import type { Pages } from '../../frame/pages.ts';
import type { FormState } from '../../request/form-fields.ts';
import type { UploadPageServices } from './services.ts';

export function registerRemovingUploads(pages: Pages, services: UploadPageServices): void {
  pages.form({
    path: '/uploads/cleanup',
    operation: 'cleanUpArtifacts',
    show: (request, state) => askCleanup(services, request, state),
    submit: async (request) => {
      await callFor(services, request, cleanUpArtifacts, { dry_run: false });
      return { to: '/uploads', notice: 'cleaned' };
    },
  });
  pages.form(withdrawn(services));
}

const trail = [{ label: 'Uploads', to: '/uploads' }];

const withdrawn = (services: UploadPageServices): FormPage =>
  operationForm(services, deleteArtifact, {
    section: 'uploads',
    view: async (request) => {
      const { name, version, status } = await callFor(services, request, getArtifact, { id: request.param('id') });
      return {
        title: `Withdraw ${name} ${version}?`,
        sentence:
          status === 'published'
            ? 'The registry no longer offers this version. Existing lock files still install it, unless the policy blocks it.'
            : `It is ${status} already.`,
        trail,
        submit: 'Withdraw version',
        cancel: '/uploads',
      };
    },
    input: (request) => ({ id: request.param('id') }),
    done: () => ({ to: '/uploads', notice: 'withdrawn' }),
  });

async function askCleanup(services: UploadPageServices, request: SignedInRequest, state: FormState): Promise<PageView> {
  const retentionDays = await services.artifactRetention();
  const plan = await callFor(services, request, cleanUpArtifacts, { dry_run: true });
  const count = plan.artifacts.length + plan.leftovers.length;
  const title = 'Remove unused ZIPs?';
  return {
    title,
    section: 'uploads',
    content: (
      <>
        <PageHead
          title={title}
          sentence={
            count === 0
              ? `There is nothing to remove: withdrawn and superseded ZIPs are kept for ${formatCount(retentionDays, 'day')}.`
              : `${formatCount(count, 'ZIP')} with ${formatBytes(plan.bytes)} will be removed. It cannot be undone.`
          }
          trail={trail}
        />
        <ul>
          {plan.artifacts.map(({ name, version, status }) => (
            <li>{`${name} ${version}, ${status}`}</li>
          ))}
          {plan.leftovers.length === 0 ? null : (
            <li>
              {formatCount(
                plan.leftovers.length,
                'leftover of an interrupted upload',
                'leftovers of interrupted uploads',
              )}
            </li>
          )}
        </ul>
        {count === 0 ? null : (
          <Form state={state} submit="Remove ZIPs" isDanger cancel="/uploads" asksPassword={request.asksPassword} />
        )}
      </>
    ),
  };
}

// The pages about uploads: the list, the upload itself, the withdrawal of one, and the cleanup.

import { RegistryError } from '../../../../build/contract/errors.ts';
import { actorOf } from '../../../auth/caller.ts';
import type { HttpRequest } from '../../../core/http/http-request.ts';
import { awaitBuilder } from '../../../core/protocol/feature.ts';
import type { PageView, SignedInRequest, FormPage } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { readActorNames } from '../name-actor.ts';
import type { UploadPageServices } from './services.ts';
import { UploadsPage, uploadsPerPage, type UploadsPageProps } from './uploads-page.tsx';
import { cleanUpArtifacts, deleteArtifact, getArtifact, seenBy } from '../../../artifacts/operations.ts';
import { Form } from '../../components/form.tsx';
import { formatCount, formatBytes } from '../../components/values.tsx';
import { headedPage } from '../../frame/headed-page.tsx';
import { callFor, operationForm } from '../../frame/operation-form.tsx';
import type { FormState } from '../../request/form-fields.ts';

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
            : status === 'staged'
              ? 'It waits for a person. It is removed, and its version is free again.'
              : `It is ${status} already.`,
        trail,
        submit: 'Withdraw version',
      };
    },
    done: () => ({ to: '/uploads', notice: 'withdrawn' }),
  });

async function askCleanup(services: UploadPageServices, request: SignedInRequest, state: FormState): Promise<PageView> {
  const retentionDays = await services.artifactRetention();
  const plan = await callFor(services, request, cleanUpArtifacts, { dry_run: true });
  const count = plan.artifacts.length + plan.leftovers.length;
  const sentence =
    count === 0
      ? `There is nothing to remove: withdrawn and superseded ZIPs are kept for ${formatCount(retentionDays, 'day')}.`
      : `${formatCount(count, 'ZIP')} with ${formatBytes(plan.bytes)} will be removed. It cannot be undone.`;
  return headedPage(
    { section: 'uploads', title: 'Remove unused ZIPs?', sentence, trail },
    <>
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
    </>,
  );
}

const notices = {
  withdrawn: 'The version is withdrawn. Existing lock files still install it, unless the policy blocks it.',
  cleaned: 'The unused ZIPs are removed.',
};

export function registerUploadPages(pages: Pages, services: UploadPageServices): void {
  pages.page({
    path: '/uploads',
    operation: 'listArtifacts',
    notices,
    show: (request) => uploadsView(services, request),
  });
  pages.upload({
    path: '/uploads/file',
    operation: 'createArtifact',
    formPath: '/uploads',
    receive: (request, incoming, sendContinue) => receive(services, request, incoming, sendContinue),
  });
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

async function receive(
  services: UploadPageServices,
  request: SignedInRequest,
  incoming: HttpRequest,
  sendContinue: () => void,
): Promise<PageView> {
  let given = '';
  let file = '';
  try {
    const published = await services.uploads.receive(
      { request: incoming, caller: actorOf(request.caller), sendContinue, onFile: (name) => (file = name) },
      (staged, fields) => {
        awaitBuilder({ incoming });
        given = fields.get('version')?.trim() ?? '';
        const version = given === '' ? undefined : given;
        return services.artifactsOf(actorOf(request.caller)).publish({ path: staged.path, version });
      },
    );
    return await uploadsView(services, request, { published });
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { ...(await uploadsView(services, request, { refusal: error.message, file, given })), status: error.status };
  }
}

type UploadResult = 'published' | 'refusal' | 'file' | 'given';

async function uploadsView(
  services: UploadPageServices,
  request: SignedInRequest,
  { published, refusal, file = '', given = '' }: Partial<Pick<UploadsPageProps, UploadResult>> = {},
): Promise<PageView> {
  const artifacts = services.artifactsOf(actorOf(request.caller));
  const wanted = Number(request.query.get('page') ?? '1');
  const page = Number.isSafeInteger(wanted) && wanted > 0 && wanted < 1e6 ? wanted : 1;
  const all = (await artifacts.list()).filter(seenBy({ caller: request.caller, actor: actorOf(request.caller) }));
  const from = (page - 1) * uploadsPerPage;
  const rows = await artifacts.asServed(all.toReversed().slice(from, from + uploadsPerPage));
  const authors = rows.map((row) => row.created_by);
  const authorOf = await readActorNames(services.state, authors, request);
  return {
    title: 'Uploads',
    section: 'uploads',
    content: (
      <UploadsPage
        {...{ rows, page, authorOf, published, refusal, file, given }}
        total={all.length}
        mayUpload={request.may('createArtifact')}
        hasBuilder={request.hasBuilder}
        mayRemove={request.may('deleteArtifact')}
      />
    ),
  };
}

// One content of a version that the registry knows, with what became of it.

import type { Child } from 'hono/jsx';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { PublishedFrom } from '../../../artifacts/published-from.ts';
import type { WhyVersion } from '../../../../build/contract/why.ts';
import { A } from '../../components/place.tsx';
import { Time } from '../../components/values.tsx';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { CiRun } from '../ci-run.tsx';
import { SourceText } from './facts-panel.tsx';
import { packagePath } from './open-package.ts';
import { Cause, type CauseOf } from './withdrawal-causes.tsx';

const states: Readonly<Record<WhyVersion['state'], string>> = {
  published: 'published',
  superseded: 'replaced by a newer content of the branch',
  withdrawn: 'withdrawn',
  withheld: 'withdrawn by a person',
};

/** A version, its state and why it has it. */
export function VersionContent({
  name,
  content: { version, state, since, source, reference },
  cause,
  run,
  request,
}: {
  readonly name: PackageName;
  readonly content: WhyVersion;
  readonly cause: ReturnType<CauseOf>;
  /** undefined: no CI job with a token of a trusted publisher published it */
  readonly run?: PublishedFrom | undefined;
  readonly request: Pick<SignedInRequest, 'may' | 'nowMs'>;
}): Child {
  return (
    <>
      {state === 'published' ? (
        <A to={packagePath(name, 'version', { version })}>{version}</A>
      ) : (
        <strong>{version}</strong>
      )}
      {': '}
      {states[state]}
      {cause === undefined ? null : (
        <>
          {' '}
          <Cause cause={cause} />
        </>
      )}
      , <Time at={since} />{' '}
      <span class="soft small">
        <SourceText text={cause?.source ?? source} />, <code title={reference}>{reference.slice(0, 12)}</code>
      </span>
      <PublishedByCi run={run} />
      <RestoreLinks {...{ name, version, request }} isByHand={state === 'withheld'} cause={cause} />
    </>
  );
}

function PublishedByCi({ run }: { readonly run: PublishedFrom | undefined }): Child {
  if (run === undefined) return null;
  return (
    <>
      {' '}
      <span class="small">
        Published by CI: <CiRun run={run} />
      </span>
    </>
  );
}

interface RestoreLinksProps {
  readonly name: PackageName;
  readonly version: string;
  readonly isByHand: boolean;
  readonly cause: ReturnType<CauseOf>;
  readonly request: Pick<SignedInRequest, 'may'>;
}

/** What makes a withdrawn version return, as far as the visitor may do it. */
function RestoreLinks({ name, version, isByHand, cause, request: { may } }: RestoreLinksProps): Child {
  return (
    <>
      {isByHand && may('restoreVersion') ? (
        <>
          {' '}
          <A to={packagePath(name, 'restore', { version })} aria-label={`Restore ${version}`} data-dialog>
            Restore
          </A>
        </>
      ) : null}
      {cause?.reason === 'rollback' && may('rollBack') ? (
        <>
          {' '}
          <A to="/history">Open the history</A>
        </>
      ) : null}
    </>
  );
}

// What is held back of a package of another registry, and why: on the page of the package, on the page “Why” of its
// name, and among what the mirror stores.

import type { Child } from 'hono/jsx';
import type { PackageName } from '../../../../build/contract/name.ts';
import type { WithheldVersions } from '../../../mirror/catalogue/cached-summary.ts';
import { MarkedText } from '../../components/marked-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { A } from '../../components/place.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import { malwareByPackage } from '../../../usage/read-exposures.ts';
import { MalwareNotice } from './concerns.tsx';
import { heldBackPhrase, isOfSetting, leftOutByRule, newestCase } from './held-back-words.ts';
import { packageTrail, type PackagePageServices } from './open-package.ts';
import { PolicyOnVersion, readPolicyOn } from './policy-on-version.tsx';
import { isMeant, parseQuestion } from './why-answer.ts';
import { QuestionForm, Reasons } from './why-page.tsx';

export function HeldBackList({ heldBack }: { readonly heldBack: readonly WithheldVersions[] }): Child {
  return (
    <section class="stack-tight">
      <h2>Held back</h2>
      {heldBack.length === 0 ? <p class="soft">No version is held back.</p> : null}
      {heldBack.map((one) => (
        <Notice kind="warn">
          <Reason heldBack={one} />
        </Notice>
      ))}
    </section>
  );
}

function Reason({ heldBack }: { readonly heldBack: WithheldVersions }): Child {
  const byRule = leftOutByRule(heldBack);
  const newest = <MarkedText text={newestCase(heldBack)} />;
  if (byRule !== undefined)
    return (
      <>
        <strong class="breaks">{byRule}</strong>: {newest}
      </>
    );
  return (
    <>
      <strong>{heldBackPhrase(heldBack)}</strong>. The newest is {newest}
      {isOfSetting(heldBack) ? (
        <>
          {' '}
          The rule is the setting <code>{heldBack.setting}</code>.
        </>
      ) : null}
    </>
  );
}

/** undefined: nothing of the name is stored of another registry. */
export async function heldBackOf(
  { mirrorReport }: Pick<PackagePageServices, 'mirrorReport'>,
  name: PackageName,
  nowMs: number,
): Promise<readonly WithheldVersions[] | undefined> {
  return (await mirrorReport?.packageOf(name, nowMs))?.heldBack;
}

/** The page “Why” of a package of another registry; undefined: nothing of it is stored. */
export async function showMirroredWhy(
  services: PackagePageServices,
  request: SignedInRequest,
  name: PackageName,
): Promise<PageView | undefined> {
  const { nowMs, query, caller } = request;
  const [heldBack, stored] = [await heldBackOf(services, name, nowMs), await services.mirrorReport?.archives(name)];
  if (heldBack === undefined || stored === undefined) return undefined;
  const question = parseQuestion((query.get('version') ?? '').trim().slice(0, 200));
  const malware = (await malwareByPackage(services, caller.view)).get(name);
  const judged = await readPolicyOn(services, name, question, request);
  const refused = stored.refused.filter((text) => isMeant(question, text.slice(0, text.indexOf(': '))));
  const kept = stored.records.some(({ version }) => isMeant(question, version));
  const offered = services.mirrored?.offered(name).some(({ version }) => isMeant(question, version)) === true;
  const sentence = 'This package comes from another registry. Every version that is not held back is offered.';
  return headedPage(
    { section: 'packages', title: `Why? ${name}`, sentence, trail: packageTrail(name) },
    <>
      <QuestionForm question={question} />
      <MalwareNotice
        {...{ malware }}
        version={question.kind === 'version' ? (judged?.version ?? question.text) : undefined}
      >
        {question.kind === 'version' || question.kind === 'constraint' ? (
          <Notice kind={offered ? 'good' : 'warn'}>
            {`${name} ${question.text} is ${offered ? '' : 'not '}offered, and ${kept ? 'an archive of it is stored' : refused.length > 0 ? 'its archive was refused' : 'no archive of it is stored'}.`}
          </Notice>
        ) : null}
      </MalwareNotice>
      {judged === undefined ? null : <PolicyOnVersion {...{ explained: judged, request }} />}
      <Reasons heading="Archives that the check refused" reasons={refused} />
      <HeldBackList heldBack={heldBack} />
      <p>
        <A to={`/mirror/${name}`}>What the mirror stores of it</A>
      </p>
    </>,
  );
}

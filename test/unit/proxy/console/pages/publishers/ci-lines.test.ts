// Tests the lines for CI systems that name their ID token in their own way.

import { expect, it } from 'vitest';
import { ciLines } from '../../../../../../proxy/console/pages/publishers/ci-lines.ts';
import type { IssuerKind } from '../../../../../../proxy/publishers/model/issuer.ts';
import type { PublisherId } from '../../../../../../proxy/publishers/model/publisher.ts';

const audience = 'https://packages.example.org';
const id = 'pub_0000000000000000' as PublisherId;

it.each<[IssuerKind, string, string, string]>([
  ['bitbucket', audience, 'LIBRETTO_ID_TOKEN=$BITBUCKET_STEP_OIDC_TOKEN', '$BITBUCKET_TAG'],
  [
    'circleci',
    'run step',
    `LIBRETTO_ID_TOKEN=$(circleci run oidc get --claims '{"aud": "${audience}"}')`,
    '$CIRCLE_TAG',
  ],
  [
    'buildkite',
    'PATH',
    `LIBRETTO_ID_TOKEN=$(buildkite-agent oidc request-token --audience "${audience}")`,
    '$BUILDKITE_TAG',
  ],
])('%s gets the ID token first, and publishes its tag', (kind, words, first, tag) => {
  const { sentence, text } = ciLines({ id, kind, purpose: 'publish', workflow: null, environment: null }, audience);
  expect(sentence).toContain(words);
  expect(text.split('\n')[0]).toBe(first);
  expect(text).toContain(`"publisher":"${id}"`);
  expect(text).toContain(`/api/artifacts?version=${tag}"`);
});

it('another issuer leaves the ID token to the person who sets up the job', () => {
  const { sentence, text } = ciLines(
    { id, kind: 'oidc', purpose: 'read', workflow: null, environment: null },
    audience,
  );
  expect(sentence).toContain(`an ID token with the audience ${audience} into the variable LIBRETTO_ID_TOKEN`);
  expect(text).toMatch(/^LIBRETTO_TOKEN=/);
  expect(text).toContain('composer install');
});

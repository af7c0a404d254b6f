// Tests the lines for CI systems that name their ID token in their own way.

import { expect, it } from 'vitest';
import { ciLines } from '../../../../../../proxy/console/pages/publishers/ci-lines.ts';
import type { IssuerKind } from '../../../../../../proxy/publishers/model/issuer.ts';
import type { PublisherId } from '../../../../../../proxy/publishers/model/publisher.ts';

const audience = 'https://packages.example.org';
const id = 'pub_0000000000000000' as PublisherId;
const usual = { id, workflow: null, environment: null, refs: 'any' } as const;

it.each<[IssuerKind, string, string, string]>([
  ['bitbucket', audience, 'export LIBRETTO_ID_TOKEN="$BITBUCKET_STEP_OIDC_TOKEN"', '$BITBUCKET_TAG'],
  [
    'circleci',
    'run step',
    `export LIBRETTO_ID_TOKEN="$(circleci run oidc get --claims '{"aud": "${audience}"}')"`,
    '$CIRCLE_TAG',
  ],
  ['buildkite', 'PATH', 'npm install --global --ignore-scripts "$REGISTRY_CLI"', '$BUILDKITE_TAG'],
])('%s gets the ID token first, and publishes its tag', (kind, words, first, tag) => {
  const { sentence, text } = ciLines({ ...usual, kind, purpose: 'publish' }, audience);
  expect(sentence).toContain(words);
  expect(text.split('\n')[0]).toBe(first);
  expect(text).toContain(`libretto publish . --version "${tag}" --oidc --url ${audience} --publisher ${id}`);
  expect(text.split('\n').length).toBeLessThanOrEqual(4);
});

it('another issuer leaves the ID token to the person who sets up the job', () => {
  const { sentence, text } = ciLines({ ...usual, kind: 'oidc', purpose: 'read' }, audience);
  expect(sentence).toContain(`an ID token with the audience ${audience} into the variable LIBRETTO_ID_TOKEN`);
  const [, ...script] = text.split('\n');
  expect(script).toEqual([
    `libretto ci login --url ${audience} --publisher ${id}`,
    'composer install',
    `libretto ci logout --url ${audience}`,
  ]);
});

it.each([
  ['publish', 'any', "on: { push: { tags: ['v*'] } }", 'rules: [{ if: $CI_COMMIT_TAG }] id_tokens'],
  ['publish', 'protected', "on: { push: { tags: ['v*'] } }", 'rules: [{ if: $CI_COMMIT_TAG }] id_tokens'],
  ['read', 'any', 'on: push permissions', 'image: composer:2 id_tokens'],
  ['read', 'tags', "on: { push: { tags: ['v*'] } }", 'rules: [{ if: $CI_COMMIT_TAG }] id_tokens'],
  ['read', 'protected', 'on: { push: { branches: [main] } }', `[{ if: '$CI_COMMIT_REF_PROTECTED == "true"' }]`],
  ['read', 'tags-or-protected', "branches: [main], tags: ['v*']", '{ if: $CI_COMMIT_TAG }, { if:'],
] as const)('the jobs to %s of %s refs start where they are accepted', (purpose, refs, github, gitlab) => {
  for (const [kind, words] of Object.entries({ github, gitlab }) as [IssuerKind, string][]) {
    const { text, sentence } = ciLines({ ...usual, purpose, refs, kind }, audience);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(sentence.includes('Protect the tags')).toBe(purpose === 'publish' && refs === 'protected');
  }
});

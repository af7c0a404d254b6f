// What a CI system needs so that its jobs publish or read without a stored secret: the permission for an ID token, and
// the commands that use it. Pure.

import type { IssuerKind } from '../../../publishers/model/issuer.ts';
import type { RefRule } from '../../../publishers/model/publisher.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';

export interface CiLines {
  /** where the lines belong */
  readonly sentence: string;
  readonly text: string;
}

type Lined = Pick<PublisherDocument, 'id' | 'kind' | 'purpose' | 'workflow' | 'environment' | 'refs'>;

/** `audience`: the address of the registry, which its ID tokens name. */
export function ciLines(record: Lined, audience: string): CiLines {
  const { kind, workflow, purpose, refs } = record;
  const protectWords =
    purpose === 'publish' && refs === 'protected' ? ' Protect the tags there: jobs of other refs are refused.' : '';
  const script = commands(record, audience);
  if (kind === 'gitlab')
    return {
      sentence: `The lines belong into the file .gitlab-ci.yml of the project.${protectWords}`,
      text: gitlab(record, audience, script),
    };
  if (kind === 'github' || kind === 'forgejo')
    return {
      sentence: `The lines belong into the workflow ${workflow ?? 'of the repository'}.${protectWords}`,
      text: actions(record, script),
    };
  const { sentence, idToken } = otherSystem(kind, audience);
  return { sentence, text: lines(...idToken.map((value) => `export LIBRETTO_ID_TOKEN="${value}"`), ...script) };
}

interface OtherSystem {
  readonly sentence: string;
  /** the value of LIBRETTO_ID_TOKEN, unless the command or the CI system sets it */
  readonly idToken: readonly string[];
}

function otherSystem(kind: IssuerKind, audience: string): OtherSystem {
  if (kind === 'bitbucket')
    return {
      sentence: `The lines belong into the script of a step with oidc: and audiences:, whose only entry is ${audience}.`,
      idToken: ['$BITBUCKET_STEP_OIDC_TOKEN'],
    };
  if (kind === 'circleci')
    return {
      sentence: 'The lines belong into a run step of the job.',
      idToken: [`$(circleci run oidc get --claims '{"aud": "${audience}"}')`],
    };
  if (kind === 'buildkite')
    return {
      sentence: 'The lines belong into the command of the step, where buildkite-agent is in PATH.',
      idToken: [],
    };
  return {
    sentence: `Let the CI system put an ID token with the audience ${audience} into the variable LIBRETTO_ID_TOKEN.`,
    idToken: [],
  };
}

/** The variable with the tag of the job. */
const tags: Readonly<Record<IssuerKind, string>> = {
  github: '$GITHUB_REF_NAME',
  forgejo: '$GITHUB_REF_NAME',
  gitlab: '$CI_COMMIT_TAG',
  bitbucket: '$BITBUCKET_TAG',
  circleci: '$CIRCLE_TAG',
  buildkite: '$BUILDKITE_TAG',
  oidc: '$TAG',
};

/** On GitHub and Forgejo, the steps after the login have the token. Elsewhere it is in the folder of COMPOSER_HOME. */
function commands({ id, kind, purpose }: Lined, audience: string): readonly string[] {
  const install = 'npm install --global --ignore-scripts "$REGISTRY_CLI"';
  const address = `--url ${audience} --publisher ${id}`;
  if (purpose === 'publish') return [install, `libretto publish . --version "${tags[kind]}" --oidc ${address}`];
  return [install, `libretto ci login ${address}`, 'composer install', `libretto ci logout --url ${audience}`];
}

/** When a job starts. A tag is a version, and a branch is none. */
const events: Readonly<Record<RefRule, string>> = {
  tags: "{ push: { tags: ['v*'] } }",
  protected: '{ push: { branches: [main] } }',
  'tags-or-protected': "{ push: { branches: [main], tags: ['v*'] } }",
  any: 'push',
};

/** The same at GitLab. */
const pipelines: Readonly<Record<RefRule, readonly string[]>> = {
  tags: ['  rules: [{ if: $CI_COMMIT_TAG }]'],
  protected: [`  rules: [{ if: '$CI_COMMIT_REF_PROTECTED == "true"' }]`],
  'tags-or-protected': [`  rules: [{ if: $CI_COMMIT_TAG }, { if: '$CI_COMMIT_REF_PROTECTED == "true"' }]`],
  any: [],
};

function actions({ kind, purpose, environment, refs }: Lined, script: readonly string[]): string {
  const isForgejo = kind === 'forgejo';
  return lines(
    `on: ${events[purpose === 'publish' ? 'tags' : refs]}`,
    isForgejo ? 'enable-openid-connect: true' : 'permissions: { contents: read, id-token: write }',
    'env: { REGISTRY_CLI: "${{ vars.REGISTRY_CLI }}" }',
    'jobs:',
    '  libretto:',
    '    runs-on: ubuntu-latest',
    ...(environment === null ? [] : [`    environment: ${JSON.stringify(environment)}`]),
    '    steps:',
    '      - uses: actions/checkout@v4',
    ...script.map((line) => `      - run: ${line}`),
  );
}

function gitlab({ purpose, environment, refs }: Lined, audience: string, script: readonly string[]): string {
  const isReader = purpose === 'read';
  return lines(
    'libretto:',
    `  image: ${isReader ? 'composer:2' : 'node:22-bookworm'}`,
    ...pipelines[isReader ? refs : 'tags'],
    ...(environment === null ? [] : [`  environment: ${JSON.stringify(environment)}`]),
    `  id_tokens: { LIBRETTO_ID_TOKEN: { aud: "${audience}" } }`,
    '  script:',
    ...[...(isReader ? ['apk add --no-cache nodejs npm'] : []), ...script].map((line) => `    - ${line}`),
  );
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}

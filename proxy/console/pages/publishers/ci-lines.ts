// What a CI system needs so that its jobs publish or read without a stored secret: the permission for an ID token, the
// exchange, and the use of the token. Pure.

import { authArguments } from '../../../../build/shared/text/install-lines.ts';
import type { IssuerKind } from '../../../publishers/model/issuer.ts';
import type { RefRule } from '../../../publishers/model/publisher.ts';
import type { PublisherDocument } from '../../../publishers/records/publisher-schema.ts';

export interface CiLines {
  /** where the lines belong */
  readonly sentence: string;
  readonly text: string;
}

/** `audience`: the address of the registry, which its ID tokens name. */
export function ciLines(record: Lined, audience: string): CiLines {
  const { kind, workflow, purpose, refs } = record;
  const protectWords =
    purpose === 'publish' && refs === 'protected' ? ' Protect the tags there: jobs of other refs are refused.' : '';
  const script = [...exchangeLines(record, audience), ...useLines(record, audience)];
  if (kind === 'gitlab')
    return {
      sentence: `The lines belong into the file .gitlab-ci.yml of the project.${protectWords}`,
      text: gitlab(record, audience, script),
    };
  if (kind === 'github' || kind === 'forgejo')
    return {
      sentence: `The lines belong into the workflow ${workflow ?? 'of the repository'}.${protectWords}`,
      text: actions(record, audience, script),
    };
  const { sentence, idToken } = otherSystem(kind, audience);
  return { sentence, text: lines(...idToken, ...script) };
}

interface OtherSystem {
  readonly sentence: string;
  /** the lines that put the ID token into LIBRETTO_ID_TOKEN */
  readonly idToken: readonly string[];
}

function otherSystem(kind: IssuerKind, audience: string): OtherSystem {
  if (kind === 'bitbucket')
    return {
      sentence: `The lines belong into the script of a step with oidc: and audiences:, whose only entry is ${audience}.`,
      idToken: ['LIBRETTO_ID_TOKEN=$BITBUCKET_STEP_OIDC_TOKEN'],
    };
  if (kind === 'circleci')
    return {
      sentence: 'The lines belong into a run step of the job.',
      idToken: [`LIBRETTO_ID_TOKEN=$(circleci run oidc get --claims '{"aud": "${audience}"}')`],
    };
  if (kind === 'buildkite')
    return {
      sentence: 'The lines belong into the command of the step, where buildkite-agent is in PATH.',
      idToken: [`LIBRETTO_ID_TOKEN=$(buildkite-agent oidc request-token --audience "${audience}")`],
    };
  return {
    sentence: `Let the CI system put an ID token with the audience ${audience} into the variable LIBRETTO_ID_TOKEN.`,
    idToken: [],
  };
}

type Lined = Pick<PublisherDocument, 'id' | 'kind' | 'purpose' | 'workflow' | 'environment' | 'refs' | 'packages'>;

const curl = "curl --fail-with-body --silent --show-error --proto '=https'";

/** Every job with Composer has PHP, which reads the answer. A refusal says which claim does not match. */
const tokenIn = (name: string): string =>
  `php -r '$a = json_decode(stream_get_contents(STDIN)); isset($a->${name}) or fwrite(STDERR, ($a->error ?? "refused") . "\\n") and exit(1); echo $a->${name};'`;

function exchangeLines({ id, kind }: Lined, audience: string): readonly string[] {
  return [
    `LIBRETTO_TOKEN=$(printf '{"token":"%s","publisher":"${id}"}' "$LIBRETTO_ID_TOKEN" \\`,
    `  | ${curl} --json @- ${audience}/api/oidc/token \\`,
    `  | ${tokenIn('token')})`,
    ...(kind === 'github' || kind === 'forgejo' ? ['echo "::add-mask::$LIBRETTO_TOKEN"'] : []),
  ];
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

function useLines({ kind, purpose, packages }: Lined, audience: string): readonly string[] {
  if (purpose === 'read')
    return [
      `composer config --global ${authArguments(new URL(audience).host, '"$LIBRETTO_TOKEN"')}`,
      'composer install --no-interaction',
    ];
  return [
    `trap '${curl} --output /dev/null --request DELETE --oauth2-bearer "$LIBRETTO_TOKEN" ${audience}/api/oidc/token || true' EXIT`,
    'TZ=UTC git archive --format=zip --output=package.zip HEAD',
    `${curl} --oauth2-bearer "$LIBRETTO_TOKEN" \\`,
    `  --form file=@package.zip "${audience}/api/artifacts?name=${packageOf(packages)}&version=${encoded(tags[kind])}"`,
  ];
}

/** A limited token names its package before the upload. */
function packageOf(packages: PublisherDocument['packages']): string {
  const [only = '*', ...others] = packages ?? [];
  const isName = others.length === 0 && !only.includes('*');
  return isName ? only : `$(php -r 'echo json_decode(file_get_contents("composer.json"))->name;')`;
}

/** A tag may have `#` or `&`. */
const encoded = (variable: string): string => `$(php -r 'echo rawurlencode($argv[1]);' -- "${variable}")`;

/** When a job starts. A tag is a version, and a branch is none. */
const events: Readonly<Record<RefRule, readonly string[]>> = {
  tags: ['on:', '  push:', "    tags: ['v*']"],
  protected: ['on:', '  push:', '    branches: [main]'],
  'tags-or-protected': ['on:', '  push:', '    branches: [main]', "    tags: ['v*']"],
  any: ['on: push'],
};

/** The same at GitLab. */
const pipelines: Readonly<Record<RefRule, readonly string[]>> = {
  tags: ['  rules:', '    - if: $CI_COMMIT_TAG'],
  protected: ['  rules:', `    - if: $CI_COMMIT_REF_PROTECTED == "true"`],
  'tags-or-protected': ['  rules:', '    - if: $CI_COMMIT_TAG', `    - if: $CI_COMMIT_REF_PROTECTED == "true"`],
  any: [],
};

function actions({ kind, purpose, environment, refs }: Lined, audience: string, script: readonly string[]): string {
  const permission = ['permissions:', '  contents: read', '  id-token: write'];
  return lines(
    ...events[purpose === 'publish' ? 'tags' : refs],
    ...(kind === 'forgejo' ? ['enable-openid-connect: true'] : permission),
    'jobs:',
    '  libretto:',
    '    runs-on: ubuntu-latest',
    ...(environment === null ? [] : [`    environment: ${JSON.stringify(environment)}`]),
    '    steps:',
    '      - uses: actions/checkout@v4',
    '      - run: |',
    ...indented(10, [
      `LIBRETTO_ID_TOKEN=$(${curl} \\`,
      '  --header "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\',
      `  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(audience)}" \\`,
      `  | ${tokenIn('value')})`,
      ...script,
    ]),
  );
}

function gitlab({ purpose, environment, refs }: Lined, audience: string, script: readonly string[]): string {
  return lines(
    'libretto:',
    '  image: composer:2',
    ...pipelines[purpose === 'publish' ? 'tags' : refs],
    ...(environment === null ? [] : [`  environment: ${JSON.stringify(environment)}`]),
    '  id_tokens:',
    '    LIBRETTO_ID_TOKEN:',
    `      aud: ${audience}`,
    '  script:',
    '    - |',
    ...indented(6, script),
  );
}

function indented(blanks: number, script: readonly string[]): readonly string[] {
  return script.map((line) => `${' '.repeat(blanks)}${line}`);
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}

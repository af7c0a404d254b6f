// What is missing in a CI job that has no ID token, in the words of its CI system. Pure.

import type { Environment } from '../io/environment.ts';

interface System {
  /** set in every job of it */
  readonly variables: readonly string[];
  readonly advice: (audience: string) => string;
}

/** Forgejo and Gitea also set the variables of GitHub, so they come first. */
const systems: readonly System[] = [
  {
    variables: ['FORGEJO_ACTIONS', 'GITEA_ACTIONS'],
    advice: () =>
      'This job may not ask for an ID token. Add `enable-openid-connect: true` to the job in its workflow. Jobs of ' +
      'pull requests from forks get none.',
  },
  {
    variables: ['GITHUB_ACTIONS'],
    advice: () =>
      'This job may not ask for an ID token. Add `permissions:` with `id-token: write` to the job in its workflow, and ' +
      'also `contents: read`. Jobs of pull requests from forks get none.',
  },
  {
    variables: ['GITLAB_CI'],
    advice: (audience) =>
      `This job has no ID token. Add \`id_tokens:\` to the job, with \`LIBRETTO_ID_TOKEN:\` and \`aud: ${audience}\`.`,
  },
  {
    variables: ['BITBUCKET_BUILD_NUMBER'],
    advice: (audience) =>
      `This step has no ID token. Add \`oidc:\` to the step, with \`audiences:\` and the one entry \`- ${audience}\`. ` +
      'Then run `export LIBRETTO_ID_TOKEN="$BITBUCKET_STEP_OIDC_TOKEN"`.',
  },
  {
    variables: ['CIRCLECI'],
    advice: (audience) =>
      'This job has no ID token. First run ' +
      `\`export LIBRETTO_ID_TOKEN="$(circleci run oidc get --claims '{"aud": "${audience}"}')"\`.`,
  },
];

export function adviceForSystem(environment: Environment, audience: string): string {
  const system = systems.find(({ variables }) => variables.some((name) => (environment[name] ?? '') !== ''));
  return (
    system?.advice(audience) ??
    `There is no ID token. Run the command in a CI job, with an ID token for the audience ${audience} in the variable ` +
      'LIBRETTO_ID_TOKEN. On a computer of a person, use a token: LIBRETTO_TOKEN.'
  );
}

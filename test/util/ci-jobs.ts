// The jobs of CI systems as shell: what a runner does with the YAML of a documentation page. A step that uses an action
// gives no lines: the test has the checkout, and Node.js is there.

import { parseYaml } from '@redocly/openapi-core';

export interface JobStep {
  /** for `bash -e`; a runner starts a new shell for each step */
  readonly lines: string;
  /** the variables of this step alone */
  readonly environment: Readonly<Record<string, string>>;
}

/** What people set in the CI system: `secrets.X` and `vars.X` of GitHub and its kin. */
export type Settings = Readonly<Record<string, string>>;

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { steps: readonly { uses?: string; run?: string; env?: Record<string, string> }[] }>
  >;
}

/** GitHub Actions, Gitea Actions and Forgejo Actions. Throws for an expression that is no setting. */
export function actionsSteps(yaml: string, settings: Settings): readonly JobStep[] {
  const { jobs } = parseYaml(yaml) as Workflow;
  return Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .flatMap(({ run, env = {} }) =>
      run === undefined
        ? []
        : [
            {
              lines: run,
              environment: Object.fromEntries(
                Object.entries(env).map(([name, text]) => [name, filled(text, settings)]),
              ),
            },
          ],
    );
}

function filled(text: string, settings: Settings): string {
  return text.replaceAll(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
    const value = settings[expression];
    if (value === undefined) throw new Error(`The workflow uses ${expression}, which nobody has set.`);
    return value;
  });
}

type GitLabFile = Readonly<Record<string, { before_script?: readonly string[]; script: readonly string[] }>>;

/** GitLab joins the lines of a job in one shell. Its variables are in every job. */
export function gitlabStep(yaml: string): JobStep {
  const jobs = Object.values(parseYaml(yaml) as GitLabFile);
  const lines = jobs.flatMap(({ before_script: before = [], script }) => [...before, ...script]);
  return { lines: linesOf(lines), environment: {} };
}

interface BitbucketFile {
  readonly pipelines: { tags: Readonly<Record<string, readonly { step: { script: readonly string[] } }[]>> };
}

/** Bitbucket joins the lines of a step in one shell. Its variables are in every step. */
export function bitbucketStep(yaml: string): JobStep {
  const { pipelines } = parseYaml(yaml) as BitbucketFile;
  const lines = Object.values(pipelines.tags).flatMap((steps) => steps.flatMap(({ step }) => step.script));
  return { lines: linesOf(lines), environment: {} };
}

/** A colon in an unquoted line would make YAML read it as a key, and the CI system refuse the file. */
function linesOf(lines: readonly unknown[]): string {
  for (const line of lines) if (typeof line !== 'string') throw new Error(`No line: ${JSON.stringify(line)}`);
  return lines.join('\n');
}

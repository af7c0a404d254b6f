// Plays docs/how-to/ci.md as CI systems do: the lines of each job run as shell, in a checkout of the tag and with the
// variables that the system sets, against a deployed registry with HTTPS. The real Composer installs the result.
//
// Not run as written:
// - `npm ci` and `npm pack`: REGISTRY_CLI names the checkout, which npm installs too;
// - `npm install --global` in all jobs but the first: it would install the same again;
// - `apt-get` in GitLab's job, because there is no internet;
// - ssh and rsync: two scripts with these names become the user `libretto` of the same host.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionsSteps, bitbucketStep, gitlabStep, type JobStep } from '../util/ci-jobs.ts';
import {
  composerLines,
  installWithComposer,
  startDeployedHost,
  trustOfNode,
  type DeployedHost,
} from '../util/deployed-host.ts';
import { blocksOf, blockWith } from '../util/page-blocks.ts';
import { lacksScratchHost, type HostResult } from '../util/scratch-host.ts';
import { lacks } from '../util/tool.ts';

const page = 'docs/how-to/ci.md';

const prepare = `
mkdir -p /srv/packages/other /srv/git/hello/src && cd /srv/git/hello
printf '{"name": "acme/other", "version": "1.0.0"}' > /srv/packages/other/composer.json
git init -q -b main
printf '{"name": "acme/hello", "autoload": {"psr-4": {"Acme\\\\\\\\": "src/"}}}' > composer.json
mkdir -p packages/shop && printf '{"name": "acme/shop", "version": "1.0.0"}' > packages/shop/composer.json
printf 'packages export-ignore\\n' > .gitattributes
for version in v1.1.0+build.5 v1.2.0 v1.3.0 v1.4.0 v1.5.0 v1.6.0 v1.7.0 v1.8.0; do
  printf '<?php namespace Acme; final class Hello { public const VERSION = "%s"; }' $version > src/Hello.php
  git add . && git -c user.name=Me -c user.email=me@example.org commit -qm $version && git tag $version
done`;

/** Stand-ins for ssh and rsync between two hosts that are one. */
const remotes = `
mkdir -p /ci/bin
cat > /ci/bin/ssh <<'END'
#!/bin/sh
test -s ~/.ssh/id_ed25519 && test -s ~/.ssh/known_hosts && test "$1" = libretto@packages.example.org && shift
exec setpriv --reuid=libretto --regid=libretto --init-groups env -i PATH=/usr/local/bin:/usr/bin:/bin sh -c "$*"
END
cat > /ci/bin/rsync <<'END'
#!/bin/sh
test "$1 $2" = '-a --delete' && target=\${5#libretto@packages.example.org:}
rm -rf "$target" && mkdir -p "$target" && cp -r "$3" "$4" "$target" && chown -R libretto "$target"
END
chmod 755 /ci/bin/*`;

const sha = '0123456789012345678901234567890123456789';
const variables = {
  github: (tag: string) => ({
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_REF: `refs/tags/${tag}`,
    GITHUB_REF_NAME: tag,
    GITHUB_REF_TYPE: 'tag',
    GITHUB_SHA: sha,
    RUNNER_TEMP: '/tmp/runner',
  }),
  gitea: (tag: string) => ({ ...variables.github(tag), GITEA_ACTIONS: 'true', FORGEJO_ACTIONS: 'true' }),
  gitlab: (tag: string) => ({
    CI: 'true',
    GITLAB_CI: 'true',
    CI_COMMIT_TAG: tag,
    CI_COMMIT_REF_NAME: tag,
    CI_COMMIT_SHA: sha,
    CI_DEFAULT_BRANCH: 'main',
    CI_PROJECT_DIR: `/builds/${tag}`,
  }),
  bitbucket: (tag: string) => ({
    CI: 'true',
    BITBUCKET_TAG: tag,
    BITBUCKET_COMMIT: sha,
    BITBUCKET_CLONE_DIR: `/builds/${tag}`,
  }),
};

describe.skipIf(lacksScratchHost() || lacks('nginx', 'openssl', 'composer', 'php', 'git', 'curl'))('a CI job', () => {
  let host: DeployedHost;
  let writeToken = '';
  beforeAll(async () => {
    host = await startDeployedHost(`${prepare}\n${remotes}`, '["/srv/packages"], "sourceRoots": ["/srv/registered"]');
    const made = await host.paste(blockWith(page, 'token create --kind write').text);
    writeToken = /lib_w_\w+/.exec(made.output)?.[0] ?? 'none';
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const yaml = (heading: string): string => {
    const found = blocksOf(page).filter((block) => block.language === 'yaml' && block.heading === heading);
    expect(found.length, heading).toBe(1);
    return found[0]?.text ?? '';
  };
  /** Runs the steps in a new checkout of the tag with one commit, until one fails. */
  const runJob = async (
    steps: readonly JobStep[],
    tag: string,
    environment: Readonly<Record<string, string>>,
    token = writeToken,
  ): Promise<HostResult> => {
    await host.paste(`rm -rf /builds/${tag} && git clone -q --depth 1 -b ${tag} file:///srv/git/hello /builds/${tag}`);
    let last: HostResult = { exitCode: -1, stdout: '', output: 'The job has no steps.' };
    for (const step of steps) {
      last = await host.run(step.lines, {
        cwd: `/builds/${tag}`,
        shell: ['bash', '-eo', 'pipefail'],
        environment: {
          PATH: '/ci/bin:/usr/local/sbin:/usr/bin:/sbin:/bin',
          HOME: '/ci/home',
          NPM_CONFIG_PREFIX: '/ci',
          ...trustOfNode,
          ...environment,
          ...(step.environment['LIBRETTO_TOKEN'] === undefined ? { LIBRETTO_TOKEN: token } : {}),
          ...step.environment,
        },
      });
      if (last.exitCode !== 0) break;
    }
    return last;
  };
  const settings = (token = writeToken) => ({
    'secrets.LIBRETTO_TOKEN': token,
    'secrets.LIBRETTO_SSH_KEY': 'key',
    'vars.LIBRETTO_KNOWN_HOSTS': 'known',
    'vars.REGISTRY_CLI': '/opt/clone',
  });
  const only = (step: JobStep): readonly JobStep[] => [step];
  const expectPublished = (job: HostResult, version: string): void => {
    expect(job.exitCode, job.output).toBe(0);
    expect(JSON.parse(job.stdout)).toMatchObject({ name: 'acme/hello', version });
  };

  describe('with git and curl', () => {
    it('publishes by hand', async () => {
      const { text } = blockWith(page, '--output=package.zip HEAD\ncurl');
      expectPublished(await runJob([{ lines: text, environment: {} }], 'v1.2.0', {}), 'v1.2.0');
    });

    it('publishes a tag with a plus sign', async () => {
      const { text } = blockWith(page, '--output=package.zip HEAD\ncurl');
      const job = { lines: text.replace('v1.2.0', 'v1.1.0+build.5'), environment: {} };
      expectPublished(await runJob([job], 'v1.1.0+build.5', {}), 'v1.1.0+build.5');
    });

    it('publishes on GitHub, and changes nothing when it is repeated', async () => {
      const steps = actionsSteps(yaml('GitHub'), settings());
      const first = await runJob(steps, 'v1.3.0', variables.github('v1.3.0'));
      expectPublished(first, 'v1.3.0');
      const again = await runJob(steps, 'v1.3.0', variables.github('v1.3.0'));
      expect([again.exitCode, again.stdout]).toEqual([0, first.stdout]);
    });

    it('publishes on GitLab', async () => {
      expectPublished(await runJob(only(gitlabStep(yaml('GitLab'))), 'v1.4.0', variables.gitlab('v1.4.0')), 'v1.4.0');
    });

    it('publishes on Bitbucket', async () => {
      const steps = only(bitbucketStep(yaml('Bitbucket')));
      expectPublished(await runJob(steps, 'v1.5.0', variables.bitbucket('v1.5.0')), 'v1.5.0');
    });

    it('publishes on Gitea and Forgejo', async () => {
      const steps = actionsSteps(yaml('Gitea and Forgejo'), settings());
      expectPublished(await runJob(steps, 'v1.6.0', variables.gitea('v1.6.0')), 'v1.6.0');
    });

    it.each([
      ['no token', '', 'v1.7.0', 'https:', /AUTHENTICATION_REQUIRED|INVALID_TOKEN/],
      ['an unknown token', 'lib_w_unknown', 'v1.7.0', 'https:', /INVALID_TOKEN/],
      ['an address with http', undefined, 'v1.7.0', 'http:', /Protocol "http" not supported|disabled/],
      ['another content of a version', undefined, 'v1.3.0', 'https:', /VERSION_EXISTS/],
    ])('is red with %s', async (_, token, version, scheme, reason) => {
      const steps = actionsSteps(yaml('GitHub').replace('"https:', `"${scheme}`), settings(token));
      const job = await runJob(steps, 'v1.8.0', variables.github(version), token);
      expect(job.exitCode).not.toBe(0);
      expect(job.output).toMatch(reason);
    });

    it.each([
      ['GitLab', () => only(gitlabStep(yaml('GitLab'))), variables.gitlab('v1.8.0')],
      ['Bitbucket', () => only(bitbucketStep(yaml('Bitbucket'))), variables.bitbucket('v1.8.0')],
      ['Gitea and Forgejo', () => actionsSteps(yaml('Gitea and Forgejo'), settings('')), variables.gitea('v1.8.0')],
    ])('is red on %s too, and has the same options of curl', async (_, steps, environment) => {
      const optionsOf = (text = ''): string => /curl .*\?version=/.exec(text)?.[0] ?? 'none';
      expect(optionsOf(steps().at(-1)?.lines)).toBe(optionsOf(blockWith(page, '--output=package.zip HEAD\ncurl').text));
      const job = await runJob(steps(), 'v1.8.0', environment, '');
      expect([job.exitCode, job.output]).toEqual([22, expect.stringMatching(/AUTHENTICATION_REQUIRED|INVALID_TOKEN/)]);
    });
  });

  /** Only the first job installs the command: see above. */
  const installed = ({ lines, environment }: JobStep): JobStep => ({
    lines: lines.replace(/^npm install --global .*$|^apt-get .*$/gm, 'libretto --version'),
    environment,
  });
  const github = (heading: string, at: number): string =>
    blocksOf(page).filter((block) => block.language === 'yaml' && block.heading === heading)[at]?.text ?? '';

  describe('with the command', () => {
    it('publishes on GitHub and on GitLab', async () => {
      const steps = actionsSteps(github('Publish with the command', 0), settings());
      const first = await runJob(steps, 'v1.7.0', variables.github('v1.7.0'));
      expect([first.exitCode, first.output]).toEqual([0, expect.stringContaining('acme/hello v1.7.0') as string]);
      const step = installed(gitlabStep(github('Publish with the command', 1)));
      const second = await runJob(only(step), 'v1.8.0', variables.gitlab('v1.8.0'));
      expect([second.exitCode, second.output]).toEqual([0, expect.stringContaining('acme/hello v1.8.0') as string]);
    });

    it('is received on the host of the registry, from GitHub and from GitLab', async () => {
      await host.paste(`echo key > /root/job.pub\n${blockWith(page, 'authorized_keys').text}`);
      const steps = actionsSteps(yaml('Receive: job for GitHub'), settings()).map(installed);
      const first = await runJob(steps, 'v1.8.0', { CI: 'true', RUNNER_TEMP: '/tmp/runner' });
      expect([first.exitCode, first.output]).toEqual([0, expect.stringContaining('+ acme/shop 1.0.0') as string]);
      await host.paste('mkdir -p /ci/files && echo key > /ci/files/key && echo host > /ci/files/hosts');
      const second = await runJob(only(installed(gitlabStep(yaml('Receive: job for GitLab')))), 'v1.8.0', {
        ...variables.gitlab('v1.8.0'),
        SSH_KEY: '/ci/files/key',
        SSH_KNOWN_HOSTS: '/ci/files/hosts',
      });
      expect([second.exitCode, second.output]).toEqual([0, expect.stringContaining('0 withdrawn') as string]);
    });
  });

  it('starts a sync with curl and with the command', async () => {
    await host.paste(
      `mkdir -p /srv/registered && echo '{"name": "acme/synced", "version": "1.0.0"}' > /srv/registered/composer.json`,
    );
    const added = await host.paste('libretto repository add --type directory /srv/registered');
    const id = /repo_\w+/.exec(added.output)?.[0] ?? 'none';
    const lines = (text: string): JobStep => ({
      lines: blockWith(page, text).text.replace('repo_4fHj2kLm9QwErTy0', id),
      environment: {},
    });
    const command = await runJob(only(lines('libretto repository sync')), 'v1.8.0', {});
    expect([command.exitCode, command.output]).toEqual([0, expect.stringContaining('1 added') as string]);
    const request = await runJob(only(lines('--request POST')), 'v1.8.0', {});
    expect([request.exitCode, JSON.parse(request.stdout)]).toMatchObject([0, { repository_id: id }]);
  });

  it('gives packages that Composer installs', async () => {
    const made = await host.paste('libretto token create --description "Everyone"');
    const token = /lib_r_\w+/.exec(made.output)?.[0] ?? 'none';
    await installWithComposer(host, 'project', `${composerLines(token, 'acme/hello')}composer require acme/shop`);
    const version = `php -r 'require "vendor/autoload.php"; echo Acme\\Hello::VERSION;'`;
    expect((await host.paste(version, { cwd: '/root/project' })).stdout).toBe('v1.8.0');
  });
});

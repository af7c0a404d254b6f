// The commands that publish ZIPs: the one for people, and the two that the service runs in a process of its own.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addArtifacts(program: Command, wire: Wire): void {
  const publish = withSettings(program.command('publish'), 'data', 'state')
    .argument('<path>', 'the folder of a package, which is packed as a build would, or a ZIP')
    .summary('publish one version of a package, here or on a remote registry')
    .description(
      'Publish one version of a package out of its folder or a ZIP: on the data folder here, or with --url on a remote registry through its API.',
    )
    .option('--version <version>', 'which version it is, where composer.json does not say')
    .option('--url <url>', 'the address of a remote registry')
    .option('--token <token>', 'a write token of the remote registry (better: LIBRETTO_TOKEN)')
    .option('--json', 'print what was published as JSON')
    .addHelpText(
      'after',
      example(
        'libretto publish . --version 1.2.0',
        'LIBRETTO_TOKEN=lib_w_… libretto publish hello-1.2.0.zip --url https://packages.example.org',
      ),
    );
  wire(publish, () => import('../commands/publish/publish.ts'));
  const artifact = program
    .command('artifact', { hidden: true })
    .description('What the service runs to publish and withdraw uploads.');
  const admit = withSettings(artifact.command('publish'), 'data', 'state', 'jobs')
    .argument('<file>', 'a ZIP below artifacts/.staging of the data folder; it is gone afterwards')
    .description('Publish an upload.')
    .option('--name <package>', 'what it was sent as')
    .option('--as-version <version>', 'what it was sent as')
    .option('--json', 'the outcome is always JSON')
    .addHelpText('after', example('libretto artifact publish /srv/libretto/artifacts/.staging/upload.zip --json'));
  wire(admit, () => import('../commands/artifact/publish.ts'));
  const withdraw = withSettings(artifact.command('withdraw'), 'data', 'state', 'jobs')
    .argument('<package>')
    .description('Withdraw a published upload.')
    .requiredOption('--as-version <version>', 'its version')
    .requiredOption('--reference <reference>', 'its dist.reference')
    .option('--json', 'the outcome is always JSON')
    .addHelpText(
      'after',
      example('libretto artifact withdraw acme/hello --as-version 1.2.0 --reference <reference> --json'),
    );
  wire(withdraw, () => import('../commands/artifact/withdraw.ts'));
}

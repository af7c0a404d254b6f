// The commands that publish ZIPs: one for people, and two that the service runs in a separate process.

import type { Command } from 'commander';

import { example, onBehalfOption, withSettings, type Wire } from '../commands/command-parts.ts';

export function addArtifacts(program: Command, wire: Wire): void {
  const publish = withSettings(program.command('publish'), 'data', 'state')
    .argument('<path>', 'the folder of a package (packed as in a build), or a ZIP')
    .summary('publish one version of a package, here or on another registry')
    .description(
      'Publish one version of a package from its folder or a ZIP. The version goes into the local data folder or, ' +
        'with --url, to a remote registry through its API.',
    )
    .option('--version <version>', 'the version, if composer.json has none')
    .option('--name <name>', 'for a ZIP without composer.json, such as a bought plugin: the name of the package')
    .option('--type <type>', 'with --name: the type of the package, such as wordpress-plugin')
    .option('--url <url>', 'the address of a remote registry (LIBRETTO_URL)')
    .option('--token <token>', 'a write token of the remote registry (better: LIBRETTO_TOKEN)')
    .option('--oidc', 'without a stored token: exchange the ID token of this CI job, and end the token afterwards')
    .option('--publisher <publisher-id>', 'with --oidc: the trusted publisher, if several accept this job')
    .option('--insecure-http', 'send the token without TLS to an http:// address of another machine')
    .option('--dry-run', 'check everything and show what would be published, without publishing it')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'libretto publish . --version 1.2.0',
        'libretto publish . --version 1.2.0 --dry-run',
        'libretto publish . --version 1.2.0 --url https://packages.example.org --oidc',
        'libretto publish forms.zip --name acme/forms --type wordpress-plugin',
        'LIBRETTO_TOKEN=lib_w_… libretto publish hello-1.2.0.zip --url https://packages.example.org',
      ),
    );
  wire(publish, () => import('../commands/publish/publish.ts'));
  addArtifactCommands(program, wire);
}

/** The hidden commands of the server's own processes. */
function addArtifactCommands(program: Command, wire: Wire): void {
  const artifact = program
    .command('artifact', { hidden: true })
    .description('Publish and withdraw uploads; the server runs these commands.');
  const admit = withSettings(artifact.command('publish'), 'data', 'state', 'jobs')
    .argument('<file>', 'a ZIP below artifacts/.staging in the data folder; the command removes it')
    .description('Publish an upload.')
    .option('--name <package>', 'the package or version that the upload names')
    .option('--as-version <version>', 'the package or version that the upload names')
    .option('--trusted-publisher', 'a CI job of a trusted publisher sent the upload')
    .option('--staged', 'store it, and publish it once a person approves it')
    .option('--reference <reference>', 'publish the staged upload with this dist.reference; then the file is -')
    .addOption(onBehalfOption())
    .option('--json', 'the outcome is always JSON')
    .addHelpText('after', example('libretto artifact publish /srv/libretto/artifacts/.staging/upload.zip --json'));
  wire(admit, () => import('../commands/artifact/publish.ts'));
  const withdraw = withSettings(artifact.command('withdraw'), 'data', 'state', 'jobs')
    .argument('<package>', 'vendor/name')
    .description('Withdraw a published upload.')
    .requiredOption('--as-version <version>', 'its version')
    .requiredOption('--reference <reference>', 'its dist.reference')
    .addOption(onBehalfOption())
    .option('--json', 'the outcome is always JSON')
    .addHelpText(
      'after',
      example('libretto artifact withdraw acme/hello --as-version 1.2.0 --reference <reference> --json'),
    );
  wire(withdraw, () => import('../commands/artifact/withdraw.ts'));
}

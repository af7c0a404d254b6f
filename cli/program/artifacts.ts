// The commands that publish ZIPs: one for people, and two that the service runs in a separate process.

import type { Command } from 'commander';

import type { Wire } from '../commands/command-parts.ts';
import { declare, onBehalfOption, type Declarations } from './declare.ts';

export function addArtifacts(program: Command, wire: Wire): void {
  declare(program, wire, publishCommands);
  addArtifactCommands(program, wire);
}

const publishCommands = {
  publish: {
    operands: { '<path>': 'the folder of a package (packed as in a build), or a ZIP' },
    summary: 'publish one version of a package, here or on another registry',
    description:
      'Publish one version of a package from its folder or a ZIP. The version goes into the local data folder or, ' +
      'with --url, to a remote registry through its API.',
    settings: ['data', 'state'],
    options: {
      '--version <version>': 'the version, if composer.json has none',
      '--name <name>': 'for a ZIP without composer.json, such as a bought plugin: the name of the package',
      '--type <type>': 'with --name: the type of the package, such as wordpress-plugin',
      '--url <url>': 'the address of a remote registry (LIBRETTO_URL)',
      '--token <token>': 'a write token of the remote registry (better: LIBRETTO_TOKEN)',
      '--oidc': 'without a stored token: exchange the ID token of this CI job, and end the token afterwards',
      '--publisher <publisher-id>': 'with --oidc: the trusted publisher, if several accept this job',
      '--insecure-http': 'send the token without TLS to an http:// address of another machine',
      '--dry-run': 'check everything and show what would be published, without publishing it',
      '--json': 'print the result as JSON',
    },
    examples: [
      'libretto publish . --version 1.2.0',
      'libretto publish . --version 1.2.0 --dry-run',
      'libretto publish . --version 1.2.0 --url https://packages.example.org --oidc',
      'libretto publish forms.zip --name acme/forms --type wordpress-plugin',
      'LIBRETTO_TOKEN=lib_w_… libretto publish hello-1.2.0.zip --url https://packages.example.org',
    ],
    load: () => import('../commands/publish/publish.ts'),
  },
} satisfies Declarations;

/** The hidden commands of the server's own processes. */
function addArtifactCommands(program: Command, wire: Wire): void {
  const artifact = program
    .command('artifact', { hidden: true })
    .description('Publish and withdraw uploads; the server runs these commands.');
  declare(artifact, wire, artifactCommands);
}

const artifactCommands = {
  publish: {
    operands: { '<file>': 'a ZIP below artifacts/.staging in the data folder; the command removes it' },
    description: 'Publish an upload.',
    settings: ['data', 'state', 'jobs'],
    options: {
      '--name <package>': 'the package or version that the upload names',
      '--as-version <version>': 'the package or version that the upload names',
      '--trusted-publisher': 'a CI job of a trusted publisher sent the upload',
      '--staged': 'store it, and publish it once a person approves it',
      '--reference <reference>': 'publish the staged upload with this dist.reference; then the file is -',
      ...onBehalfOption,
      '--json': 'the outcome is always JSON',
    },
    examples: ['libretto artifact publish /srv/libretto/artifacts/.staging/upload.zip --json'],
    load: () => import('../commands/artifact/publish.ts'),
  },
  withdraw: {
    operands: { '<package>': 'vendor/name' },
    description: 'Withdraw a published upload.',
    settings: ['data', 'state', 'jobs'],
    options: {
      '--as-version <version>': { text: 'its version', required: true },
      '--reference <reference>': { text: 'its dist.reference', required: true },
      ...onBehalfOption,
      '--json': 'the outcome is always JSON',
    },
    examples: ['libretto artifact withdraw acme/hello --as-version 1.2.0 --reference <reference> --json'],
    load: () => import('../commands/artifact/withdraw.ts'),
  },
} satisfies Declarations;

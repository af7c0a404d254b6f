// The commands that follow `libretto init`. Pure.

import { dirname, join } from 'node:path';

import { quoteForShell } from '../../../build/shared/text/quote-for-shell.ts';
import type { Answers } from '../../init/answers.ts';
import { operatorPlace } from './unit-places.ts';

export interface NextSteps {
  readonly answers: Answers;
  /** absolute: the written libretto.json */
  readonly out: string;
  /** absolute: the written script for operators */
  readonly operator: string;
  readonly workingDirectory: string;
  /** the command that starts this program */
  readonly invocation: string;
  /** sentences about what the units cannot use */
  readonly warnings: readonly string[];
}

export function nextSteps({ answers, out, operator, workingDirectory, invocation, warnings }: NextSteps): string[] {
  const { systemd, proxyFile, proxy, publicUrl } = answers;
  const config = out === join(workingDirectory, 'libretto.json') ? '' : ` --config ${quoteForShell(out)}`;
  return [
    ...warnings.flatMap((warning) => [warning, '']),
    systemd === undefined ? 'Next:' : 'Next, as root:',
    '',
    ...(systemd === undefined
      ? [
          ...(answers.sources.length === 0
            ? [`  ${invocation} token create --kind write --description "CI"${config}`]
            : [`  ${invocation} build${config}`, `  ${invocation} token create --description "My laptop"${config}`]),
          `  ${invocation} serve${config}`,
        ]
      : unitSteps(out, operator, systemd, answers.data)),
    ...(proxyFile === undefined
      ? []
      : [
          '',
          proxy === 'caddy'
            ? `Give ${proxyFile} to Caddy, and reload it. Caddy gets the certificate by itself.`
            : `Give ${proxyFile} to the reverse proxy: put the names of the certificate into it, and reload the proxy.`,
        ]),
    ...(publicUrl === undefined
      ? []
      : [
          '',
          'Then check the registry as clients see it:',
          '',
          `  ${systemd === undefined ? invocation : 'libretto'} doctor --url ${quoteForShell(publicUrl)}`,
        ]),
  ];
}

/**
 * The units run as the user `libretto`, in /etc/libretto. Builds refuse a home folder as their data folder, so it is
 * not the home of that user.
 */
function unitSteps(out: string, operator: string, systemd: string, data: string): string[] {
  const [config, environment] = ['/etc/libretto/libretto.json', '/etc/libretto/environment'];
  return [
    'getent passwd libretto > /dev/null || useradd --system --home-dir /etc/libretto --shell /bin/sh libretto',
    'install -d -m 0750 -g libretto /etc/libretto',
    `install -d -m 0750 -o libretto -g libretto ${quoteForShell(data)}`,
    dirname(out) === '/etc/libretto'
      ? `chgrp libretto ${quoteForShell(out)} && chmod 0640 ${quoteForShell(out)}`
      : `install -m 0640 -g libretto ${quoteForShell(out)} ${config}`,
    `[ -e ${environment} ] || install -m 0640 -g libretto /dev/null ${environment}`,
    ...(systemd === '/etc/systemd/system'
      ? []
      : [
          `cp ${quoteForShell(systemd)}/libretto*.service ${quoteForShell(systemd)}/libretto*.timer /etc/systemd/system/`,
        ]),
    `install -m 0755 ${quoteForShell(operator)} ${operatorPlace}`,
    'systemctl daemon-reload',
    'libretto build',
    'systemctl enable --now libretto.service libretto-build.timer',
    'libretto doctor',
    'libretto token create --description "My laptop"',
  ].map((line) => `  ${line}`);
}

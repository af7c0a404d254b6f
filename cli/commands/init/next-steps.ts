// The commands that follow `libretto init`. Pure.

import { dirname, join } from 'node:path';

import { quoteForShell } from '../../../build/shared/text/quote-for-shell.ts';
import type { Answers } from '../../init/answers.ts';

export interface NextSteps {
  readonly answers: Answers;
  /** absolute: the written libretto.json */
  readonly out: string;
  readonly workingDirectory: string;
  /** the command that starts this program */
  readonly invocation: string;
  /** sentences about what the units cannot use */
  readonly warnings: readonly string[];
}

export function nextSteps({ answers, out, workingDirectory, invocation, warnings }: NextSteps): string[] {
  const { systemd, proxyFile, proxy, publicUrl } = answers;
  const config = out === join(workingDirectory, 'libretto.json') ? '' : ` --config ${quoteForShell(out)}`;
  return [
    ...warnings.flatMap((warning) => [warning, '']),
    'Next:',
    '',
    ...(systemd === undefined
      ? [
          `  ${invocation} build${config}`,
          `  ${invocation} token create --description "My laptop"${config}`,
          `  ${invocation} serve${config}`,
        ]
      : unitSteps(out, systemd, answers.data)),
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
          `  ${invocation} doctor --url ${quoteForShell(publicUrl)}`,
        ]),
  ];
}

/**
 * The units run as the user `libretto`, in /etc/libretto. Builds refuse a home folder as their data folder, so it is not
 * the home of that user.
 */
function unitSteps(out: string, systemd: string, data: string): string[] {
  return [
    '  sudo useradd --system --home-dir /etc/libretto --shell /bin/sh libretto',
    '  sudo install -d -m 0750 -g libretto /etc/libretto',
    `  sudo install -d -m 0750 -o libretto -g libretto ${quoteForShell(data)}`,
    dirname(out) === '/etc/libretto'
      ? `  sudo chgrp libretto ${quoteForShell(out)}`
      : `  sudo install -m 0640 -g libretto ${quoteForShell(out)} /etc/libretto/libretto.json`,
    ...(systemd === '/etc/systemd/system'
      ? []
      : [
          `  sudo cp ${quoteForShell(systemd)}/libretto*.service ${quoteForShell(systemd)}/libretto*.timer /etc/systemd/system/`,
        ]),
    '  sudo systemctl daemon-reload',
    '  sudo systemctl enable --now libretto.service libretto-build.timer',
  ];
}

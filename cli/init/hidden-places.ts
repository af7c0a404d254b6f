// Places that the units of docs/deploy/ hide from their processes. Pure.
//
// `ProtectHome=` closes /home, /root and /run/user; a build may read there what other users may read. `PrivateTmp=`
// gives each unit folders /tmp and /var/tmp of its own.

export interface UnitPath {
  readonly what: 'program' | 'node' | 'source' | 'data' | 'certificate' | 'key';
  /** absolute, as the unit or libretto.json names the place */
  readonly path: string;
  /** the same place without symbolic links */
  readonly realPath: string;
}

const remedies: Readonly<Record<UnitPath['what'], readonly [fault: string, remedy: string]>> = {
  program: [
    'The units cannot start Libretto from',
    'Install Libretto into /opt/libretto (docs/how-to/deploy.md, step 1 of "systemd"), or with `npm install -g` of a ' +
      'Node.js outside home folders. Then run `init` of that Libretto again.',
  ],
  node: [
    'The units cannot start Node.js from',
    'Install Node.js for all users, for example as /usr/bin/node, and run `init` with it again.',
  ],
  source: [
    'The unit libretto-build.service cannot read the source',
    'Move the source to a folder that the user libretto can read, for example below /srv, and change "sources" in ' +
      'libretto.json.',
  ],
  data: ['The units cannot write into the data folder', 'Run `init` again with --data /var/lib/libretto.'],
  certificate: [
    'The unit libretto.service cannot read the certificate',
    'Move the file, for example below /etc/libretto, and change "tlsCert" in libretto.json.',
  ],
  key: [
    'The unit libretto.service cannot read the key',
    'Move the file, for example below /etc/libretto, and change "tlsKey" in libretto.json.',
  ],
};

/** One sentence for each place that the units cannot use, with the reason and the remedy. */
export function hiddenPlaces(places: readonly UnitPath[]): readonly string[] {
  return places.flatMap(({ what, path, realPath }) => {
    const found = [path, realPath].find((one) => reasonFor(one) !== undefined);
    if (found === undefined) return [];
    const [fault, remedy] = remedies[what];
    return [`Warning: ${fault} ${found}: ${reasonFor(found) ?? ''}. ${remedy}`];
  });
}

function reasonFor(path: string): string | undefined {
  if (/^(?:\/var)?\/tmp(?:\/|$)/.test(path)) return 'each unit has a /tmp and a /var/tmp of its own';
  return /^\/(?:home|root|run\/user)(?:\/|$)/.test(path) ? 'home folders are closed to the units' : undefined;
}

// Tests which places the units of `init --systemd` cannot use.

import { describe, expect, it } from 'vitest';

import { hiddenPlaces, type UnitPath } from '../../../../cli/init/hidden-places.ts';

const place = (path: string, realPath = path, what: UnitPath['what'] = 'program'): UnitPath => ({
  what,
  path,
  realPath,
});

describe('a place that the units of systemd hide', () => {
  it.each(['/home/me/main.js', '/root/main.js', '/run/user/1000/a', '/tmp/a', '/var/tmp/a'])('is %s', (path) =>
    expect(hiddenPlaces([place(path)])).toEqual([
      expect.stringContaining(`Warning: The units cannot start Libretto from ${path}: `),
    ]),
  );

  it('is the target of a symbolic link', () =>
    expect(hiddenPlaces([place('/srv/packages', '/home/me/packages', 'source')])).toEqual([
      expect.stringContaining('cannot read the source /home/me/packages: home folders are closed to the units. Move '),
    ]));

  it.each(['/opt/libretto/bin/libretto', '/srv/tmp/a', '/homes/a', '/tmpfiles'])('is not %s', (path) =>
    expect(hiddenPlaces([place(path)])).toEqual([]),
  );
});

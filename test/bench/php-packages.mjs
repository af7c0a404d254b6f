// Folders of packages like those of a vendor directory, the same on every machine.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mulberry32, phpClass } from './php-text.mjs';

const seed = 20_260_102;
/** An old date, so that a build trusts the times of the files. */
const written = 1_700_000_000;
const license = `The MIT License\n\n${'Permission is hereby granted, free of charge, to any person obtaining a copy of this software. '.repeat(10)}\n`;

/**
 * Makes `packages` folders of `files` files each in `folder`, and returns their paths. `bytes` is the median of a file,
 * of which the largest have eight times as much.
 */
export function makePackages(folder, { packages, files, bytes }) {
  const random = mulberry32(seed);
  return Array.from({ length: packages }, (_, index) => {
    const place = join(folder, `package-${index}`);
    for (let part = 0; part < 4; part += 1) mkdirSync(join(place, `src/Part${part}`), { recursive: true });
    const composerJson = {
      name: `bench/package-${index}`,
      version: `1.${index % 10}.0`,
      license: 'MIT',
      description: `Package ${index}`,
      require: { php: '>=8.1' },
      autoload: { 'psr-4': { [`Bench\\P${index}\\`]: 'src/' } },
    };
    write(join(place, 'composer.json'), JSON.stringify(composerJson, null, 4));
    write(join(place, 'LICENSE'), license);
    for (let file = 2; file < files; file += 1) {
      const name = `src/Part${file % 4}/Class${file}.php`;
      write(
        join(place, name),
        phpClass(
          {
            namespace: `Bench\\P${index}\\Part${file % 4}`,
            name: `Class${file}`,
            constant: index,
            bytes: bytes * 8 ** (random() * 2 - 1),
          },
          random,
        ),
      );
    }
    return place;
  });
}

export function write(path, text) {
  writeFileSync(path, text);
  utimesSync(path, written, written);
}

// Tests that the icons of the console are those of lucide-static, unchanged.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { iconShapes } from '../../../../../proxy/console/components/icon-shapes.ts';

const icons = join(dirname(createRequire(import.meta.url).resolve('lucide-static/package.json')), 'icons');

/** The elements within the `svg` element, without spaces between them. */
function shapeOf(name: string): string {
  const svg = readFileSync(join(icons, `${name}.svg`), 'utf8');
  const [, shape = ''] = /<svg[^>]*>([^]*)<\/svg>/.exec(svg) ?? [];
  return shape
    .trim()
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(' />', '/>');
}

it('every icon has the shape of lucide-static', () => {
  expect(iconShapes).toEqual(Object.fromEntries(Object.keys(iconShapes).map((name) => [name, shapeOf(name)])));
});

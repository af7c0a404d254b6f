// Tests the addresses of links in the console and in the catalogue.

import { describe, expect, it } from 'vitest';
import { assetAt, hrefTo } from '../../../../../proxy/console/components/place.tsx';

const inConsole = { root: '../', isCatalogue: false, assets: '/assets/1f0c2b' };
const inCatalogue = { root: '../../', isCatalogue: true, assets: '/assets' };

describe('a link', () => {
  it('of the console is relative, and keeps its query', () => {
    expect(hrefTo(inConsole, '/packages/acme/hello?page=2')).toBe('../packages/acme/hello?page=2');
    expect(hrefTo({ ...inConsole, root: '' }, '/')).toBe('./');
  });

  it.each([
    ['/', 'index.html'],
    ['/packages', 'index.html'],
    ['/packages?page=2', 'page-2.html'],
    ['/packages/acme/name.with.dots', 'packages/acme/name.with.dots/index.html'],
    ['/packages/acme/hello/dependents?page=1', 'packages/acme/hello/dependents/index.html'],
    ['/packages/acme/hello/dependents?steps=2&page=3', 'packages/acme/hello/dependents/page-3.html'],
    ['/packages/acme/hello/versions#v-1.0.0', 'packages/acme/hello/versions/index.html#v-1.0.0'],
  ])('of the catalogue leads to a file: %s', (path, file) => {
    expect(hrefTo(inCatalogue, path)).toBe(`../../${file}`);
  });

  it('to an asset leads to its folder', () => {
    expect(assetAt(inConsole, 'style.css')).toBe('../assets/1f0c2b/style.css');
    expect(assetAt(inCatalogue, 'style.css')).toBe('../../assets/style.css');
  });
});

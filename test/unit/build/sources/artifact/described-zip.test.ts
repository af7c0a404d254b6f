// Tests the ZIP of an archive with a composer.json beside it: the bytes that stay, the version, and what is refused.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { readZipDirectory } from '../../../../../build/archive/zip-directory.ts';
import { admitZip } from '../../../../../build/archive/zip-admission/admit-zip.ts';
import {
  describeZip,
  descriptionFileOf,
  readDescription,
  type Description,
} from '../../../../../build/sources/artifact/described-zip.ts';
import { zipOf, type EntrySpec } from '../../../../util/hostile-zip.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('described');
afterAll(() => folder.remove());

const plugin = (header = ' * Version: 1.2.3', file = 'forms/forms.php'): EntrySpec => ({
  name: file,
  data: `<?php\r\n/*\r\n * Plugin Name: Forms\r\n${header}\r\n */\r\n`,
});
const own: EntrySpec = { name: 'forms/composer.json', data: '{"name": "their/forms", "require": {"their/core": "*"}}' };
const last: EntrySpec = { name: 'forms/bin/run', data: 'run '.repeat(500), mode: 0o755 };
const forms = { name: 'acme/forms', type: 'wordpress-plugin' };

let count = 0;
async function described(
  entries: readonly EntrySpec[],
  description: Partial<Description> & Pick<Description, 'json'>,
): Promise<{ readonly before: Buffer; readonly after: Buffer; readonly json: Record<string, unknown> }> {
  const path = folder.at(`${(count += 1)}.zip`);
  writeFileSync(path, zipOf(entries, { comment: Buffer.from('bought') }));
  const made = await describeZip(path, { where: 'forms.composer.json', ...description }, folder.at('made'));
  const { composerJson } = await admitZip(made);
  return {
    before: readFileSync(path),
    after: readFileSync(made),
    json: JSON.parse(composerJson?.toString() ?? '{}') as Record<string, unknown>,
  };
}

describe('the ZIP of a described archive', () => {
  it('has a composer.json more, and every other byte of its entries, in the same order', async () => {
    const { before, after, json } = await described([plugin(), last], { json: forms });
    expect(json).toEqual({ ...forms, version: '1.2.3' });
    const entriesEnd = before.readUInt32LE(before.length - 'bought'.length - 6);
    expect(after.subarray(0, entriesEnd).equals(before.subarray(0, entriesEnd))).toBe(true);
    expect(after.subarray(-6).toString()).toBe('bought');
    expect([...readZipDirectory(after).keys()]).toEqual(['forms/forms.php', 'forms/bin/run', 'forms/composer.json']);
    writeFileSync(folder.at('tested.zip'), after);
    expect(execFileSync('unzip', ['-t', folder.at('tested.zip')]).toString()).toContain('No errors');
    expect((await described([plugin(), last], { json: forms })).after.equals(after)).toBe(true);
  });

  it('has the given composer.json in place of its own', async () => {
    const { before, after, json } = await described([own, plugin(), last], { json: { ...forms, version: '2.0' } });
    expect(json).toEqual({ ...forms, version: '2.0' });
    const members = readZipDirectory(after);
    const paths = [...members.keys()];
    expect(paths).toEqual(['forms/forms.php', 'forms/bin/run', 'forms/composer.json']);
    for (const path of paths.slice(0, 2))
      expect(members.get(path)?.read()).toEqual(readZipDirectory(before).get(path)?.read());
    writeFileSync(folder.at('tested.zip'), after);
    expect(execFileSync('unzip', ['-t', folder.at('tested.zip')]).toString()).toContain('No errors');
  });

  it('keeps its own composer.json where only flags describe it', async () => {
    await expect(described([own, plugin()], { json: forms, partial: true })).rejects.toThrow(/Leave out --name/);
  });

  it('is flat if the archive is', async () => {
    const { after } = await described([plugin('Version: 1.0', 'forms.php')], { json: forms });
    expect([...readZipDirectory(after).keys()]).toEqual(['forms.php', 'composer.json']);
  });

  it('passes the checks of any archive, before and after', async () => {
    await expect(described([plugin(), { name: '../evil.php', data: '' }], { json: forms })).rejects.toThrow(/\.\./);
    const clash = described([plugin(), { name: 'forms/Composer.json', data: '{}' }], { json: forms });
    await expect(clash).rejects.toThrow(/same file on macOS and Windows/);
  });
});

describe('the version of a described archive', () => {
  const versionOf = async (
    header: string,
    fields: object = {},
    fileVersion?: string,
    others: readonly EntrySpec[] = [],
  ): Promise<unknown> =>
    (await described([plugin(header), ...others], { json: { ...forms, ...fields }, fileVersion })).json['version'];

  it.each([
    [' * Version: 1.2.3', {}, undefined, '1.2.3'],
    ['Version:1.2.3 */ // by them', {}, undefined, '1.2.3'],
    ['# version: 1.2.3', {}, '1.2.3.0', '1.2.3.0'],
    [' * Version: 1.2.3', { version: '9.0' }, '1.2.3', '9.0'],
    [' * Version: see below', {}, '2.8.1', '2.8.1'],
    [' * Text of Version: 1.2.3', {}, undefined, undefined],
    [' * Version: 1.2.3', { type: 'library' }, undefined, undefined],
  ])('%s, %o, %s: %s', async (header, fields, fileVersion, expected) => {
    expect(await versionOf(header, fields, fileVersion)).toBe(expected);
  });

  it('is not guessed: two headers that differ, a header that differs from the name, one that is no version', async () => {
    const second = plugin('Version: 3.0', 'forms/other.php');
    expect(await versionOf('Version: 1.2.3', {}, undefined, [second])).toBeUndefined();
    await expect(versionOf('Version: 1.2.4', {}, '1.2.3')).rejects.toThrow(/says version 1\.2\.3, and .* says 1\.2\.4/);
    await expect(versionOf('Version: see below')).rejects.toThrow(
      /header "Version:" in forms\/forms.php is "see below"/,
    );
  });

  it('needs a file that WordPress would find', async () => {
    const inner = [{ name: 'bundle/forms.zip', data: 'PK' }, plugin('Version: 1', 'bundle/forms/forms.php')];
    await expect(described(inner, { json: forms })).rejects.toThrow(/Is the real ZIP inside this one/);
    const theme = { name: 'acme/theme', type: 'wordpress-theme' };
    const style = { name: 'theme/style.css', data: '/*\nTheme Name: T\nVersion: 4.5\n*/' };
    expect((await described([style], { json: theme })).json['version']).toBe('4.5');
    await expect(described([plugin()], { json: theme })).rejects.toThrow(/no style\.css with .* in "forms\/"/);
  });
});

describe('the description of an archive', () => {
  const files = new Set(['a/forms.composer.json', 'a/forms-pro.composer.json', 'a/forms-2.composer.json']);
  it.each([
    ['a/forms.zip', 'a/forms.composer.json', undefined],
    ['a/forms-1.2.0.zip', 'a/forms.composer.json', '1.2.0'],
    ['a/forms_v1.2.tar.gz', 'a/forms.composer.json', 'v1.2'],
    ['a/forms-pro-1.2.ZIP', 'a/forms-pro.composer.json', '1.2'],
    ['a/forms-2.zip', 'a/forms-2.composer.json', '2'],
    ['a/forms-lite.zip', undefined, undefined],
    ['b/forms.zip', undefined, undefined],
  ])('%s: %s', (archive, path, version) => {
    expect(descriptionFileOf(archive, (candidate) => files.has(candidate))).toEqual(path && { path, version });
  });

  it('is read as any composer.json', async () => {
    const path = folder.at('bad.composer.json');
    writeFileSync(path, '{"name": }');
    expect(existsSync(path)).toBe(true);
    await expect(readDescription({ path, version: undefined })).rejects.toThrow(/bad\.composer\.json, line 1/);
  });
});

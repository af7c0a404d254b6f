// Finds in the files of an archive: programs that are no source, and sizes that jumped. Pure.

import type { Finding, Found } from './finding.ts';

/** `path`: below the root of the package. Bytes are unpacked; `size` and `crc32` are what the archive claims. */
export type ArchiveFiles = ReadonlyMap<
  string,
  { readonly size: number; readonly crc32: number; readonly read: () => Buffer }
>;

const endings = /\.(phar|so|dll|dylib|exe|msi|com|scr|jar|pyd|wasm|sh|bash|bat|cmd|ps1|vbs)$/i;
const beginnings: readonly (readonly [what: string, beginning: RegExp])[] = [
  ['ELF', /^\x7fELF/],
  ['PE', /^MZ[^]{62}/],
  ['Mach-O', /^(?:\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe)/],
  ['a script', /^#![^\n]*\b(?:sh|bash|dash|zsh|python\d*|perl|node|ruby)\b/],
  ['phar', /^[^]{0,4000}__HALT_COMPILER\(\);\s*\?>/],
];

/** By its name, and by its first bytes: a name may lie. undefined: it is none. */
export function programIn(path: string, bytes: Buffer): Found | undefined {
  const beginning = bytes.subarray(0, 8192).toString('latin1');
  const detail = beginnings.find(([, pattern]) => pattern.test(beginning))?.[0] ?? endings.exec(path)?.[1];
  return detail === undefined ? undefined : { kind: 'program', detail, line: null };
}

/** More than three times as many, and this much more. */
const jump = { times: 3, files: 50, bytes: 1024 * 1024 } as const;

export function growthOf(before: ArchiveFiles, after: ArchiveFiles): readonly Finding[] {
  const bytesOf = (files: ArchiveFiles): number => [...files.values()].reduce((sum, { size }) => sum + size, 0);
  const found = (unit: 'files' | 'bytes', old: number, now: number): readonly Finding[] => {
    if (now <= old * jump.times || now - old <= jump[unit]) return [];
    return [{ kind: 'growth', detail: `${now} ${unit} instead of ${old}`, line: null, file: null, loaded: false }];
  };
  return [...found('files', before.size, after.size), ...found('bytes', bytesOf(before), bytesOf(after))];
}

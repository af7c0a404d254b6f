// A git directory that holds nothing but what `git archive` may know: no configuration, attributes, references or mailmap of the repository whose
// objects it reads. What comes out is then a function of the commit and its own tag or branch, on every machine and at any time.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface VisibleRef {
  /** in full, `refs/tags/v1.0.0`; a binary string */
  readonly name: string;
  readonly oid: string;
  readonly commit: string;
}

/**
 * `%h` has seven digits, git's own number for up to some 16 000 objects; unset, it would grow with the repository. No program that a signature or
 * a filter could call for exists, and no name is refused here that could be excluded from the archive.
 */
const config = `[core]
\tbare = true
\tabbrev = 7
\tautocrlf = false
\teol = lf
\tattributesFile = /dev/null
\tprotectNTFS = false
\tprotectHFS = false
[gpg]
\tprogram = false
[gpg "ssh"]
\tprogram = false
[gpg "x509"]
\tprogram = false
`;

/** Whatever is left out is left out by Libretto's rules: composer.json may take in again what export-ignore leaves out. Outranks all other attributes. */
const attributes = '* -export-ignore\n';

/** Makes one below `parent` and gives its path; `remove` it afterwards. */
export async function makeScratchRepository(parent: string, ref: VisibleRef): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(parent, 'archive-'));
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true });
  try {
    await Promise.all([mkdir(join(path, 'refs')), mkdir(join(path, 'info'))]);
    const format = ref.commit.length === 64 ? '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n' : '[core]\n\trepositoryformatversion = 0\n';
    await Promise.all([
      writeFile(join(path, 'HEAD'), 'ref: refs/heads/.invalid\n'),
      writeFile(join(path, 'config'), format + config),
      writeFile(join(path, 'info', 'attributes'), attributes),
      writeFile(join(path, 'packed-refs'), packedRefs(ref), 'latin1'),
    ]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, remove };
}

/** A name that git would not take is left out: then no name is known. */
function packedRefs({ name, oid, commit }: VisibleRef): string {
  if (/[\u0000-\u0020\u007f]/.test(name)) return '';
  return `# pack-refs with: peeled fully-peeled sorted \n${oid} ${name}\n${oid === commit ? '' : `^${commit}\n`}`;
}

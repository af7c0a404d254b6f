// A git directory that has only the facts that `git archive` may use: no configuration, attributes, references or
// mailmap of the source repository. The output is then a function of the commit and its own tag or branch, on every
// machine and at any time.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface VisibleRef {
  /** the full name, `refs/tags/v1.0.0`; a binary string */
  readonly name: string;
  readonly oid: string;
  readonly commit: string;
}

/**
 * `%h` has seven digits, git's own number for up to some 16 000 objects; unset, it would grow with the repository. No
 * program that a signature or a filter could call for exists, and no name is refused here that could be excluded from
 * the archive.
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

/**
 * Only Libretto's own rules leave files out, because composer.json may include files again after export-ignore.
 * Overrides all other attributes.
 */
const attributes = '* -export-ignore\n';

/** Makes git directories below `parent` on demand, and reuses them. */
export class ScratchRepositories {
  readonly #parent: string;
  readonly #made: string[] = [];
  readonly #free: string[] = [];

  constructor(parent: string) {
    this.#parent = parent;
  }

  /** Passes the path of a free directory, which stays exclusive until `use` ends. */
  async *borrow<Value>(
    ref: VisibleRef,
    use: (path: string) => AsyncGenerator<Value, void>,
  ): AsyncGenerator<Value, void> {
    const path = this.#free.pop() ?? (await this.#make(ref.commit.length === 64));
    try {
      await writeFile(join(path, 'packed-refs'), packedRefs(ref), 'latin1');
      yield* use(path);
    } finally {
      this.#free.push(path);
    }
  }

  /** Call it after the last use. */
  async close(): Promise<void> {
    await Promise.all(this.#made.splice(0).map((path) => rm(path, { recursive: true, force: true })));
  }

  async #make(sha256: boolean): Promise<string> {
    await mkdir(this.#parent, { recursive: true, mode: 0o700 });
    const path = await mkdtemp(join(this.#parent, 'archive-'));
    this.#made.push(path);
    await Promise.all([mkdir(join(path, 'refs')), mkdir(join(path, 'info'))]);
    const format = sha256
      ? '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n'
      : '[core]\n\trepositoryformatversion = 0\n';
    await Promise.all([
      writeFile(join(path, 'HEAD'), 'ref: refs/heads/.invalid\n'),
      writeFile(join(path, 'config'), format + config),
      writeFile(join(path, 'info', 'attributes'), attributes),
    ]);
    return path;
  }
}

/** A name that git would not take is left out: then no name is known. */
function packedRefs({ name, oid, commit }: VisibleRef): string {
  if (/[\u0000-\u0020\u007f]/.test(name)) return '';
  return `# pack-refs with: peeled fully-peeled sorted \n${oid} ${name}\n${oid === commit ? '' : `^${commit}\n`}`;
}

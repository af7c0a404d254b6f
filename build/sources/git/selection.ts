// Selects the tags, branches, folders and files of a repository that the source's configuration publishes. The check
// of an unchanged repository imports this file and must stay cheap: patterns are compiled only if there are any.

import { decodeRefName, type Ref, type Refs } from './refs.ts';

export interface GitSelection {
  /**
   * Patterns of names, without `refs/tags/` or `refs/heads/`; `*` and `?` match within a segment, `**` spans several; a
   * leading `!` excludes. No list: all; an empty list: none. Other refs are not read at all, not even for the package's
   * name.
   */
  readonly refs?:
    | { readonly tags?: readonly string[] | undefined; readonly branches?: readonly string[] | undefined }
    | undefined;
  /**
   * Each folder that matches one of these patterns (`packages/*`, `.` for the root) and has a composer.json is a
   * package. Default: the root alone.
   */
  readonly subdirectories?: readonly string[] | undefined;
  /** `include`: records name the repository itself in addition to the archive; only for URLs */
  readonly referenceSource?: 'none' | 'include' | undefined;
  /** patterns as of composer.json's archive.exclude, behind those */
  readonly extraExcludes?: readonly string[] | undefined;
}

/** Equal for equal selections, '' for the default. */
export function variantOf({ refs, subdirectories, referenceSource, extraExcludes }: GitSelection): string {
  const options = {
    ...(refs?.tags === undefined ? {} : { tags: refs.tags }),
    ...(refs?.branches === undefined ? {} : { branches: refs.branches }),
    ...(subdirectories === undefined ? {} : { subdirectories }),
    ...(referenceSource === 'include' ? { source: 'root' } : {}),
    ...(extraExcludes === undefined || extraExcludes.length === 0 ? {} : { excludes: extraExcludes }),
  };
  return Object.keys(options).length === 0 ? '' : JSON.stringify(options);
}

/** Filters the refs. */
export type SelectRefs = (refs: Refs) => Refs;

export async function selectRefs({ refs: patterns }: GitSelection): Promise<SelectRefs> {
  if (patterns === undefined) return (refs) => refs;
  const { compileWildmatch } = await import('../../archive/rules/wildmatch.ts');
  const takesTag = compileNames(patterns.tags, compileWildmatch);
  const takesBranch = compileNames(patterns.branches, compileWildmatch);
  return (refs) => {
    const { head } = refs;
    const leftOut = 'branch' in head && !takesBranch(head.branch);
    return {
      head: leftOut ? { leftOut: head.branch } : head,
      tags: refs.tags.filter(({ name }: Ref) => takesTag(name)),
      branches: refs.branches.filter(({ name }) => takesBranch(name)),
    };
  };
}

function compileNames(
  patterns: readonly string[] | undefined,
  compile: (pattern: string) => (text: string) => boolean,
): (name: string) => boolean {
  if (patterns === undefined) return () => true;
  const bytes = patterns.map((pattern) => Buffer.from(pattern, 'utf8').toString('latin1'));
  const included = bytes.filter((pattern) => !pattern.startsWith('!')).map((pattern) => compile(pattern));
  const excluded = bytes.filter((pattern) => pattern.startsWith('!')).map((pattern) => compile(pattern.slice(1)));
  const all = included.length === 0 && excluded.length > 0;
  return (name) => (all || included.some((matches) => matches(name))) && !excluded.some((matches) => matches(name));
}

/** For a message: lists the patterns of the selection. */
export function describePatterns({ refs }: GitSelection): string {
  return [...(refs?.tags ?? []), ...(refs?.branches ?? [])]
    .map((pattern) => JSON.stringify(decodeRefName(Buffer.from(pattern).toString('latin1')) ?? pattern))
    .join(', ');
}

// A path as people type or drag it to a question: no shell has removed its quotes and replaced its ~. Pure.

/** Without quotes around the text, and with the home folder in place of a leading `~`, also behind `git:` and the like. */
export function typedText(text: string, home: string | undefined): string {
  const [, , quoted = text] = /^(['"])(.*)\1$/.exec(text) ?? [];
  return withHome(quoted, home);
}

/** `--source=~/packages`: a shell replaces a ~ only at the beginning of a word. */
export function withHome(text: string, home: string | undefined): string {
  if (home === undefined || home === '') return text;
  return text.replace(
    /^((?:git|dir|artifact):)?~(?=\/|$)/,
    (_, prefix: string | undefined) => `${prefix ?? ''}${home}`,
  );
}

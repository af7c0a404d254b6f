// The review of a lock for people: lines for a terminal, and Markdown for the comment of a merge request. Pure. All
// texts of a lock are a stranger's: in Markdown they cannot make a link, mention a person or begin a line.

import type { LockChange, ReviewedPackage } from './lock-review.ts';

const marks: Readonly<Record<LockChange, string>> = {
  added: '+',
  removed: '-',
  updated: '~',
  downgraded: '~',
  changed: '~',
};

/** A line for each package; its findings are below it if it is remarkable, else in the same line. */
export function lockReviewLines(packages: readonly ReviewedPackage[], clean: (text: string) => string): string[] {
  return packages.flatMap((one) => {
    const { change, name, remarkable } = one;
    const told = notesOf(one);
    const line = `  ${marks[change]} ${clean(name)} ${clean(versionsOf(one))}`;
    if (!remarkable) return [told.length === 0 ? line : `${line}: ${clean(told.join('; '))}`];
    return [line, ...remarksOf(one).map((text) => `      ${clean(text)}`)];
  });
}

/** Of the remarkable packages and of all: `3 packages changed, 1 of them is remarkable.` */
export function lockReviewSummary(packages: readonly ReviewedPackage[]): string {
  if (packages.length === 0) return 'No package changed.';
  const few = packages.filter(({ remarkable }) => remarkable).length;
  const changed = `${packages.length} ${packages.length === 1 ? 'package' : 'packages'} changed`;
  return few === 0 ? `${changed}, nothing is remarkable.` : `${changed}, ${few} of them remarkable.`;
}

/** An invisible line, by which a comment is found again. */
export const commentMarker = '<!-- libretto-lock-review -->';
/** GitHub takes 65 536 characters, the others more. */
const longestComment = 60_000;

/** `clean`: removes control characters. */
export function lockReviewMarkdown(packages: readonly ReviewedPackage[], clean: (text: string) => string): string {
  const code = (text: string): string => inCode(clean(text));
  const remarkable = packages.filter((one) => one.remarkable);
  const plain = packages.filter((one) => !one.remarkable);
  const line = (one: ReviewedPackage): string => `- ${code(one.name)} ${code(versionsOf(one))}`;
  const lines = [
    ...remarkable.flatMap((one) => [line(one), ...remarksOf(one).map((text) => `  - ${code(text)}`)]),
    ...(plain.length === 0 ? [] : ['', `<details><summary>${plain.length} without a remark</summary>`, '']),
    ...plain.map((one) => [line(one), ...notesOf(one).map(code)].join(' · ')),
  ];
  const end = plain.length === 0 ? [] : ['', '</details>'];
  const head = [commentMarker, `**composer.lock**: ${lockReviewSummary(packages)}`, ''];
  const shown: string[] = [];
  let size = 0;
  for (const one of lines) {
    size += one.length + 1;
    if (size > longestComment) break;
    shown.push(one);
  }
  const opened = shown.some((one) => one.startsWith('<details>'));
  const more = shown.length === lines.length ? [] : ['', 'The rest is left out; `libretto review --lock` shows all.'];
  return `${[...head, ...shown, ...(opened ? end : []), ...more].join('\n')}\n`;
}

/** A code span: nothing in it is a link, a mention or HTML. A grave accent would end it, and a bar a cell. */
function inCode(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll(/\s+/g, ' ').slice(0, 500).trim() || ' '}\``;
}

function remarksOf(one: ReviewedPackage): readonly string[] {
  const leveled = one.findings.map(({ level, message }) => (level === 'note' ? message : `${level}: ${message}`));
  return [...leveled, ...goneOf(one)];
}

function notesOf(one: ReviewedPackage): readonly string[] {
  return [...one.findings.map(({ message }) => message), ...goneOf(one)];
}

function goneOf({ advisories_gone: gone, lost }: ReviewedPackage): readonly string[] {
  return [
    ...(gone.length === 0 ? [] : [`no longer has ${gone.join(', ')}`]),
    ...(lost.length === 0 ? [] : [`no more: ${lost.join(', ')}`]),
  ];
}

function versionsOf({ from, to, change, age_days: age }: ReviewedPackage): string {
  const days = age === null ? '' : `, ${age === 1 ? '1 day' : `${age} days`} old`;
  if (from === null) return `${to ?? ''} (${change}${days})`;
  return to === null ? `${from} (${change})` : `${from} → ${to} (${change}${days})`;
}

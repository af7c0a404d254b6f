// Generates the table and the picture of the wings in docs/ARCHITECTURE.md.

/** A folder at the top of the repository. */
export interface Wing {
  readonly wing: string;
  readonly purpose: string;
  /** folders outside the wing that its modules may import, with the folders below them */
  readonly imports: readonly string[];
}

const begin =
  '<!-- wings: generated from test/architecture/wings.json, `npx vitest run --config test/vitest.config.ts test/architecture -u` -->';
const end = '<!-- end of wings -->';

/** The page with its present table and picture in place of the old ones. Throws if a marker is missing. */
export function withWings(page: string, wings: readonly Wing[]): string {
  const [before, rest] = halves(page, begin);
  const [, after] = halves(rest, end);
  return `${before}${begin}\n\n${tableOf(wings)}\n\n${pictureOf(wings)}\n\n${end}${after}`;
}

function halves(text: string, marker: string): readonly [before: string, after: string] {
  const at = text.indexOf(marker);
  if (at === -1) throw new Error(`docs/ARCHITECTURE.md has no line ${marker}`);
  return [text.slice(0, at), text.slice(at + marker.length)];
}

function tableOf(wings: readonly Wing[]): string {
  const rows = wings.map(({ wing, purpose, imports }) => {
    const folders = [wing, ...imports].map((folder) => `\`${folder}/\``);
    return `| \`${wing}/\` | ${purpose} | ${folders.join(', ')} |`;
  });
  return ['| Wing | What it does | What it may import |', '| --- | --- | --- |', ...rows].join('\n');
}

/** An arrow means "imports". */
function pictureOf(wings: readonly Wing[]): string {
  const idOf = (folder: string): string => folder.replaceAll('/', '_');
  const parts = new Set(wings.flatMap(({ imports }) => imports).filter((folder) => folder.includes('/')));
  const lines = wings.flatMap(({ wing, imports }) => [
    `  ${idOf(wing)}["${wing}/"]`,
    ...[...parts]
      .filter((folder) => folder.startsWith(`${wing}/`))
      .flatMap((folder) => [`  ${idOf(folder)}["${folder}/"]`, `  ${idOf(wing)} --> ${idOf(folder)}`]),
    ...imports.map((folder) => `  ${idOf(wing)} --> ${idOf(folder)}`),
  ]);
  return ['```mermaid', 'flowchart BT', ...lines, '```'].join('\n');
}

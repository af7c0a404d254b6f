// Generates docs/explanation/modules.md: the tables of modules, and one picture for each wing.

export interface Module {
  readonly name: string;
  /** with all folders below them that no other module lists */
  readonly folders: readonly string[];
  readonly purpose: string;
  /** names of the modules that it may import, types included */
  readonly imports: readonly string[];
}

/** The whole page, as Markdown that Prettier does not change. */
export function describeModules(modules: readonly Module[]): string {
  return [
    '# Modules',
    '<!-- Generated from test/architecture/modules.json: `npx vitest run --config test/vitest.config.ts test/architecture -u` -->',
    'A module is a group of folders with one purpose, and a list of modules that it may import. The tables are in reading order: a module imports only modules above it, types included. `npm test` compares the lists with the imports in the code.',
    ...(['build', 'proxy', 'cli'] as const).flatMap((wing) => describeWing(wing, modules)),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

const wingOf = ({ folders }: Module): string => folders[0]?.split('/')[0] ?? '';

function describeWing(wing: string, modules: readonly Module[]): string[] {
  const own = modules.filter((module) => wingOf(module) === wing);
  const rows = own.map(
    ({ name, folders, purpose, imports }) =>
      `| ${name} | ${folders.map((folder) => `\`${folder}/\``).join(' ')} | ${purpose} | ${imports.join(', ') || '–'} |`,
  );
  return [
    `## ${wing}/`,
    picture(own),
    ['| Module | Folders | Purpose | May import |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  ];
}

/** Modules of one wing and what they import, without arrows that others imply. */
function picture(modules: readonly Module[]): string {
  const names = new Set(modules.map(({ name }) => name));
  const arrows = new Map(modules.map(({ name, imports }) => [name, imports.filter((one) => names.has(one))]));
  const reaches = (from: string, to: string): boolean =>
    (arrows.get(from) ?? []).some((next) => next === to || reaches(next, to));
  const idOf = (name: string): string => name.replaceAll('-', '_');
  const lines = [...arrows].flatMap(([from, to]) => [
    `  ${idOf(from)}["${from}"]`,
    ...to
      .filter((one) => !to.some((other) => other !== one && reaches(other, one)))
      .map((one) => `  ${idOf(from)} --> ${idOf(one)}`),
  ]);
  return ['```mermaid', 'flowchart BT', ...lines, '```'].join('\n');
}

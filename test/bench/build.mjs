// Measures builds against the cheapest way to do the same work with everyday tools. Each promise is one row with its
// own inputs. The rounds of the two sides take turns.

import { isMet, limitOf } from './expectation.mjs';
import { table, withFolder } from './measure.mjs';
import { adopt } from './rows/adopt.mjs';
import { directoriesCold, directoriesUnchanged } from './rows/directories.mjs';
import { manyPackages } from './rows/many-packages.mjs';
import { manyRepositories } from './rows/many-repositories.mjs';
import { manyVersions } from './rows/many-versions.mjs';
import { pushes } from './rows/pushes.mjs';
import { realShape } from './rows/real-shape.mjs';
import { remotes } from './rows/remotes.mjs';
import { tagsArchived, tagsMetadata } from './rows/tags.mjs';

export const buildRows = {
  'tags-archived': tagsArchived,
  'real-shape': realShape,
  'tags-metadata': tagsMetadata,
  remotes,
  pushes,
  'directories-cold': directoriesCold,
  'directories-unchanged': directoriesUnchanged,
  'many-packages': manyPackages,
  'many-repositories': manyRepositories,
  'many-versions': manyVersions,
  adopt,
};

export async function benchBuild({ quick, rounds, rows, say }) {
  const results = [];
  for (const name of rows ?? Object.keys(buildRows)) {
    say(`${name} …`);
    const figures = await withFolder((folder) => buildRows[name]({ folder, quick, rounds, say }));
    for (const figure of figures) results.push({ row: name, ...figure, limit: limitOf(figure), met: isMet(figure) });
  }
  say(`\nBuild, median of ${rounds} rounds (of 3 where the work is large):\n${table(results.map(lineOf))}\n`);
  return results;
}

const lineOf = ({ what, ours, beside, unit, floor, expected, limit, met }) => ({
  what,
  ours: `${ours.toFixed(0)} ${unit}`,
  beside: beside === undefined ? '' : `${beside} ${floor.toFixed(0)} ${unit}`,
  ratio: floor === undefined ? '' : (ours / floor).toFixed(2),
  expected:
    expected === undefined
      ? ''
      : `${expected}${floor === undefined || limit === undefined ? '' : ` (${limit.toFixed(0)} ${unit})`}`,
  met: met === undefined ? '' : met ? 'yes' : 'NO',
});

// The text of THIRD-PARTY-LICENSES.txt: every library inside the package with its licences and notices. A text that
// many libraries share stands there once for each, because each names its own holders of the copyright.

const rule = '='.repeat(80);

/** @param {readonly import('./libraries.mjs').Library[]} libraries */
export function thirdPartyLicences(libraries) {
  const entries = libraries.filter(({ texts }) => texts.length > 0).map(describe);
  return `${['Libretto contains the following libraries. Their licences apply to their parts of the program.', ...entries].join(`\n\n${rule}\n`)}\n`;
}

function describe({ name, version, licence, texts }) {
  const parts = texts.map(({ title, text }) => (texts.length > 1 ? `--- ${title} ---\n\n${tidy(text)}` : tidy(text)));
  return `${name} ${version} (${licence})\n\n${parts.join('\n\n')}`;
}

const tidy = (text) =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .trim();

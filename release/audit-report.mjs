// Judges the advisories that npm reports. Pure: the report, the list of what is permitted and the day are arguments.
//
// A library inside the package may have no known advisory. A development tool may have one of severity low or moderate:
// it sees this repository's own input only.

/**
 * @typedef {object} Finding
 * @property {string} advisory  such as GHSA-xxxx-xxxx-xxxx
 * @property {string} library
 * @property {string} severity
 * @property {string} title
 * @property {string} url
 * @property {readonly string[]} places  folders of node_modules
 * @property {boolean} isInside  in the package that people install
 *
 * @typedef {{ readonly advisory: string, readonly library: string, readonly reason: string, readonly until: string }} Permission
 */

/**
 * The advisories of `npm audit --json`, version 2 of its report, once each.
 *
 * @returns {readonly Finding[]}
 */
export function findingsOf(report, inside) {
  return Object.values(report.vulnerabilities).flatMap(({ name, via, nodes }) =>
    via
      // a text names another library, which has an entry of its own
      .filter((one) => typeof one === 'object')
      .map(({ title, url, severity, source }) => ({
        advisory: /GHSA-[\w-]+/.exec(url)?.[0] ?? `${source}`,
        library: name,
        severity,
        title,
        url,
        places: nodes,
        isInside: nodes.some((node) => inside.has(node)),
      })),
  );
}

/**
 * @param {readonly Finding[]} findings
 * @param {readonly Permission[]} permissions
 * @param {string} today  YYYY-MM-DD
 */
export function judge(findings, permissions, today) {
  const permissionFor = ({ advisory, library }) =>
    permissions.find((one) => one.advisory === advisory && one.library === library);
  const verdictOf = (finding) => {
    const permission = permissionFor(finding);
    if (permission !== undefined && permission.until >= today) return 'permitted';
    return finding.isInside || ['high', 'critical'].includes(finding.severity) ? 'refused' : 'tolerated';
  };
  const judged = findings.map((finding) => ({
    ...finding,
    verdict: verdictOf(finding),
    permission: permissionFor(finding),
  }));
  const used = new Set(judged.map(({ permission }) => permission));
  return { judged, unused: permissions.filter((one) => !used.has(one)) };
}

/** Checks the file of permissions; throws with the place of the fault. */
export function parsePermissions(text, file) {
  const entries = readJson(text, file);
  if (!Array.isArray(entries)) throw new Error(`${file} must hold a list.`);
  for (const [index, entry] of entries.entries()) {
    const wrong = ['advisory', 'library', 'reason', 'until'].find((key) => (entry[key] ?? '') === '');
    if (wrong !== undefined) throw new Error(`${file}: entry ${index + 1} has no "${wrong}". Each entry needs it.`);
    if (!isDay(entry.until))
      throw new Error(
        `${file}: "until" of entry ${index + 1} is ${JSON.stringify(entry.until)}. Write a day as YYYY-MM-DD.`,
      );
  }
  return entries;
}

function readJson(text, file) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not valid JSON: ${cause.message}. Correct the file, or write [] for no permission.`, {
      cause,
    });
  }
}

/** Date accepts 2026-02-31 and means a day of March. */
function isDay(text) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Lines for people, one advisory each, the refused ones first. */
export function describe({ judged, unused }, today) {
  const order = ['refused', 'tolerated', 'permitted'];
  const lines = judged
    .toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
    .map((finding) => `${labels[finding.verdict]} ${lineOf(finding, today)}`);
  return [
    ...lines,
    ...unused.map((one) => `unused    The permission for ${one.advisory} (${one.library}) has no advisory: remove it.`),
  ];
}

const labels = { refused: 'REFUSED  ', tolerated: 'tolerated', permitted: 'permitted' };

function lineOf({ advisory, library, severity, title, url, places, isInside, permission }, today) {
  const where = isInside ? 'inside the package' : 'development tool';
  const line = `${library}: ${title} (${severity}, ${advisory}, ${where}: ${places.join(', ')}). ${url}`;
  if (permission === undefined) return line;
  return permission.until < today
    ? `${line} Its permission ended on ${permission.until}.`
    : `${line} Permitted until ${permission.until}: ${permission.reason}`;
}

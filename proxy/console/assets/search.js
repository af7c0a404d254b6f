// Finds packages of the catalogue while one types. The packages are a script beside this one, fetched with the first
// word: a page that was opened as a file may load scripts, and fetch nothing else.

const input = document.querySelector('.search input');
const results = document.getElementById('results');
const badges = document.getElementById('badges').content;
const unfiltered = [...results.childNodes];
const maxShown = 50;

/** An element with these children; texts stay texts. */
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

let loading;

/** Loads the list of packages once. */
function loadPackages() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = new URL('packages.js', document.querySelector('script[src$="search.js"]').src).href;
    script.addEventListener('load', () => resolve(globalThis.packages.map(searchable)));
    script.addEventListener('error', reject);
    document.head.append(script);
  });
  return loading;
}

function searchable(one) {
  return { ...one, text: [one.name, one.description ?? '', ...(one.keywords ?? [])].join('\n').toLowerCase() };
}

function nameCell({ name, description, abandoned, advisory, malware }) {
  const link = element('a', 'main-link', name);
  link.href = `packages/${name}/index.html`;
  const line = element('span', 'row', link);
  const [isAbandoned, ...warnings] = badges.children;
  if (abandoned) line.append(isAbandoned.cloneNode(true));
  if (advisory) line.append(warnings[(advisory === 'latest' ? 0 : 1) + (malware ? 2 : 0)].cloneNode(true));
  const cell = element('div', 'stack-tight', line);
  if (description !== undefined) cell.append(element('span', 'soft small prose shortened', description));
  return cell;
}

function rowOf(one, labels) {
  const published = element('time', '', one.published.slice(0, 10));
  published.dateTime = one.published;
  const cells = [
    nameCell(one),
    element('code', 'whole', one.latest),
    element('span', 'soft nowrap', one.type),
    published,
  ].map((content) => element('td', '', content));
  for (const [at, cell] of cells.entries()) if (at > 0) cell.dataset.label = labels[at];
  return element('tr', '', ...cells);
}

/** A table as the one of the page, with these packages. */
function tableOf(found) {
  const table = document.createElement('table');
  const [model] = unfiltered.flatMap((node) => (node.nodeName === 'TABLE' ? [node] : []));
  table.className = model.className;
  table.append(model.caption.cloneNode(true), model.tHead.cloneNode(true));
  const labels = [...model.tHead.rows[0].cells].map(({ textContent }) => textContent);
  table.append(element('tbody', '', ...found.slice(0, maxShown).map((one) => rowOf(one, labels))));
  return table;
}

function show(found, all) {
  const count = element('p', 'soft small', `${found.length} of ${all.length} packages`);
  count.setAttribute('role', 'status');
  if (found.length === 0) return results.replaceChildren(count, element('p', '', 'No package fits. Try fewer words.'));
  const more = `These are the first ${maxShown}. Type more to see fewer.`;
  results.replaceChildren(
    count,
    tableOf(found),
    ...(found.length > maxShown ? [element('p', 'soft small', more)] : []),
  );
}

/** Every word must occur in the name, the description or the keywords. */
async function search() {
  const words = input.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return results.replaceChildren(...unfiltered);
  const given = input.value;
  const all = await loadPackages();
  if (input.value !== given) return; // a later search shows its own results
  show(
    all.filter(({ text }) => words.every((word) => text.includes(word))),
    all,
  );
}

if (results.querySelector('table') !== null) {
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  input.addEventListener('input', search);
  search();
}

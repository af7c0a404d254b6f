// Reads CHANGELOG.md: one section for each version, the newest first, below `## Unreleased` for what no release has.

/** The text of the section `## <title>` or `## <title> — <date>`, without its heading; undefined if there is none. */
export function sectionOf(changelog, title) {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.split('\n')[0].split(' ')[0] === title);
  return found?.slice(found.indexOf('\n')).trim();
}

// Reads the Atom feeds of this program, whose elements have a line each.

/** The entries, as XML. */
export function entriesIn(feed: string): readonly string[] {
  return [...feed.matchAll(/<entry>.*?<\/entry>/gs)].map(([entry]) => entry);
}

/** The text of the first element of this name. */
export function fieldOf(xml: string, name: string): string {
  return new RegExp(`<${name}[^>]*>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
}

export function titlesIn(feed: string): readonly string[] {
  return entriesIn(feed).map((entry) => fieldOf(entry, 'title'));
}

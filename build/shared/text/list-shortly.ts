// Many tags, or other names, in one sentence.

export function listShortly(items: readonly string[]): string {
  return items.length <= 3 ? items.join(', ') : `${items.slice(0, 2).join(', ')} and ${items.length - 2} more`;
}

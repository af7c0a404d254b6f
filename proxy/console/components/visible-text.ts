// A text of others, such as the name of a file, with its invisible characters made visible: they could reorder or hide
// the letters around them. Pure.

/** Controls, and the characters that change the direction or the shape of others without being seen. */
const invisible = /[\p{Cc}\u061c\u00ad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** `a<U+202E>gnp.exe` */
export function visibleText(text: string): string {
  return text.replaceAll(invisible, (one) => `<U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

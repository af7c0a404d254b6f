// The form on a page of the console, as a browser sends it: its fields with what they show, and the faults beside them.

import { openElements, textOf } from './page-text.ts';

const control = /<(input|select|textarea|option)\b[^>]*>([^<]*)/g;

/** The fields that a browser sends if the person changes nothing. */
export function sentFields(html: string): URLSearchParams {
  const [form = ''] = /<form class="form" .*?<\/form>/s.exec(html) ?? [];
  const fields = new URLSearchParams();
  let select = '';
  for (const [element, kind = '', text = ''] of form.matchAll(control)) {
    const attributes = openElements(element)[0]?.attributes ?? new Map<string, string>();
    const [name = select, value = ''] = [attributes.get('name'), attributes.get('value')];
    if (kind === 'select') select = name;
    else if (kind === 'textarea') fields.append(name, textOf(text.replaceAll('\n', '\0')).replaceAll('\0', '\n'));
    else if (kind === 'option') {
      if (!fields.has(name) || attributes.has('selected')) fields.set(name, value);
    } else if (!/^(?:checkbox|radio)$/.test(attributes.get('type') ?? '') || attributes.has('checked'))
      fields.append(name, value);
  }
  return fields;
}

/** What the page says beneath a field; empty: nothing. */
export function faultBeside(html: string, field: string): string {
  const labelled = new RegExp(`id="${field}-fault">(.*?)</span>`, 's').exec(html);
  const grouped = new RegExp(`<fieldset>(?:(?!</fieldset>).)*name="${field}".*?class="fault">(.*?)</span>`, 's');
  return textOf((labelled ?? grouped.exec(html))?.[1] ?? '');
}

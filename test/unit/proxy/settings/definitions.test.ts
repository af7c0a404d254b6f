// Tests that every colour that a registry can choose is readable: text and buttons have a contrast of 4.5:1 or more on
// every background of the console, in light and in dark.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingDefinitions } from '../../../../proxy/settings/definitions.ts';

const sheet = new URL('../../../../proxy/console/assets/style/1-colours.css', import.meta.url);
const css = readFileSync(sheet, 'utf8');

/** What stands on what. */
const pairs = [
  ['accent', 'paper'],
  ['accent', 'surface'],
  ['accent', 'raised'],
  ['accent', 'accent-wash'],
  ['accent-strong', 'accent-wash'],
  ['accent-strong', 'paper'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
] as const;

const hueOf = (color: string): number => {
  const rule =
    color === 'indigo' ? /:root \{[^}]*--hue: (\d+)/ : new RegExp(`data-color='${color}'\\] \\{\\s*--hue: (\\d+)`);
  return Number(rule.exec(css)?.[1]);
};

/** The relative luminance of a colour of the style sheet, as WCAG defines it. */
function luminance(name: string, at: 0 | 1, hue: number): number {
  const value = new RegExp(`--${name}: light-dark\\((.*)\\);`).exec(css)?.[1] ?? '';
  const [l = NaN, c = NaN, h = NaN] = (value.split('), ')[at] ?? '')
    .replace('var(--hue)', String(hue))
    .replaceAll(/[^\d. ]/g, '')
    .trim()
    .split(' ')
    .map(Number);
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const [red, green, blue] = [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ].map((channel) => Math.min(1, Math.max(0, channel)));
  return 0.2126 * (red ?? NaN) + 0.7152 * (green ?? NaN) + 0.0722 * (blue ?? NaN);
}

it.each(settingDefinitions['branding.color'].choices)('%s is readable in light and dark', (color) => {
  const weak = ([0, 1] as const).flatMap((scheme) =>
    pairs.flatMap(([text, ground]) => {
      const [one, other] = [luminance(text, scheme, hueOf(color)), luminance(ground, scheme, hueOf(color))];
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      return contrast >= 4.5 ? [] : [`${text} on ${ground}, ${scheme === 0 ? 'light' : 'dark'}: ${contrast}`];
    }),
  );
  expect(weak).toEqual([]);
});

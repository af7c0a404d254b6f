// Takes the picture docs/explorer.png: `npm run compile && node test/setup/screenshot.mjs`. It publishes the example
// packages in a temporary folder, serves them, and photographs the explorer in Chromium.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findTool } from './tools.mjs';

const root = new URL('../..', import.meta.url).pathname;
const program = join(root, 'lib/cli/main.js');
const file = join(root, 'docs/explorer.png');

const folder = mkdtempSync(join(tmpdir(), 'libretto-picture-'));
const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
execFileSync(process.execPath, [program, 'build', join(root, 'packages-src'), '--data', 'data'], options);
const server = spawn(process.execPath, [program, 'serve', '--data', 'data', '--listen', '127.0.0.1:0'], options);
try {
  await photograph(await addressOf(server));
  console.log(file);
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('close', resolve));
  rmSync(folder, { recursive: true });
}

/** The address that the server prints. */
function addressOf({ stdout, stderr }) {
  return new Promise((resolve, reject) => {
    let printed = '';
    for (const stream of [stdout, stderr])
      stream.on('data', (chunk) => {
        printed += chunk;
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
        if (address !== undefined) resolve(address);
      });
    stderr.once('close', () => reject(new Error(`The server ended: ${printed}`)));
  });
}

async function photograph(address) {
  const executablePath = findTool('chromium-headless-shell');
  if (executablePath === undefined)
    throw new Error('A browser is needed for the picture: apt-get install chromium-headless-shell');
  const browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    await page.goto(`${address}/api/swagger`);
    await page.locator('#operations-Composer-getPackagesJson').waitFor();
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
  }
}

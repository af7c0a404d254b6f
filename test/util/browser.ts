// A real browser over a page of ours, which tells what it complained of and whom it asked.

import { chromium, type Page } from 'playwright-core';
import { toolPath } from './tool.ts';

export interface Browsing extends AsyncDisposable {
  readonly page: Page;
  /** errors and warnings of the console, exceptions, requests that failed */
  readonly complaints: readonly string[];
  /** every address that was asked for */
  readonly requested: readonly string[];
}

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export async function browse(url: string): Promise<Browsing> {
  const browser = await chromium.launch({ executablePath: toolPath('chromium'), headless: true, args: quiet });
  const complaints: string[] = [];
  const requested: string[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => void complaints.push(error.message));
    page.on('requestfailed', (request) => void complaints.push(`${request.url()}: ${request.failure()?.errorText ?? ''}`));
    page.on('request', (request) => void requested.push(request.url()));
    await page.goto(url);
    return { page, complaints, requested, [Symbol.asyncDispose]: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

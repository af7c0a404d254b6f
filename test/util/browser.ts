// A real browser on a page of the service. It records errors, warnings and requests.

import { chromium, type Page } from 'playwright-core';
import { toolPath } from './tool.ts';

export interface Browsing extends AsyncDisposable {
  readonly page: Page;
  /** errors and warnings of the console, exceptions, requests that failed */
  readonly complaints: readonly string[];
  /** every requested address */
  readonly requested: readonly string[];
  /** addresses for which the browser would have prompted for a password */
  readonly prompts: readonly string[];
}

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** `host`: a name that resolves to this machine. */
export async function browse(url: string, host?: string): Promise<Browsing> {
  const args = host === undefined ? quiet : [...quiet, `--host-resolver-rules=MAP ${host} 127.0.0.1`];
  const browser = await chromium.launch({ executablePath: toolPath('chromium'), headless: true, args });
  const complaints: string[] = [];
  const requested: string[] = [];
  const prompts: string[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complaints.push(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => void complaints.push(error.message));
    page.on(
      'requestfailed',
      (request) => void complaints.push(`${request.url()}: ${request.failure()?.errorText ?? ''}`),
    );
    page.on('request', (request) => void requested.push(request.url()));
    await refusePrompts(page, (address) => prompts.push(address));
    await page.goto(url);
    return { page, complaints, requested, prompts, [Symbol.asyncDispose]: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** A prompt is cancelled, and reported to `seen`. Playwright does not report prompts. */
async function refusePrompts(page: Page, seen: (address: string) => void): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  const ended = (): void => undefined; // the page was closed in the meantime
  protocol.on(
    'Fetch.requestPaused',
    ({ requestId }) => void protocol.send('Fetch.continueRequest', { requestId }).catch(ended),
  );
  protocol.on('Fetch.authRequired', ({ requestId, request }) => {
    seen(request.url);
    protocol
      .send('Fetch.continueWithAuth', { requestId, authChallengeResponse: { response: 'CancelAuth' } })
      .catch(ended);
  });
  await protocol.send('Fetch.enable', { handleAuthRequests: true });
}

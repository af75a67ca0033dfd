/** Pictures of every screen in every theme, and what axe finds on them. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { runningRun, smallRun } from '../harness/samples.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const themes: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'contrast-light': { colorScheme: 'light', contrast: 'more' },
  'contrast-dark': { colorScheme: 'dark', contrast: 'more' },
  'forced-colors': { colorScheme: 'dark', forcedColors: 'active', contrast: 'more' },
};

const screens: Readonly<Record<string, { readonly place: string; readonly see: string }>> = {
  run: { place: '', see: '.body-row' },
  overview: { place: 'episode=5', see: '.detail' },
  call: { place: 'episode=1&call=1', see: '.message' },
  timeline: { place: 'episode=1&timeline=0', see: '.token.trained' },
};

/** What axe finds, as lines that say what and where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const results = await page.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as { run: (options: RunOptions) => Promise<AxeResults> };
    return axe.run({ resultTypes: ['violations'] });
  });
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
}

describe.each(Object.entries(themes))('%s', (theme, context) => {
  test.each(Object.entries(screens))('the %s is accessible', async (screen, { place, see }) => {
    const { page } = await open(smallRun(), { place, context });
    await page.locator(see).first().waitFor();
    if (screen === 'run') await page.getByRole('button', { name: /longer than/ }).click();
    if (screen === 'timeline') {
      await page.getByRole('listbox', { name: 'Tokens' }).focus();
      await page.getByRole('tooltip').waitFor();
    }
    await picture(page, `${screen}-${theme}`);
    expect(await violations(page)).toEqual([]);
  });
});

test('a narrow page shows everything below each other', async () => {
  const context = { colorScheme: 'dark', viewport: { width: 480, height: 900 } } as const;
  const { page } = await open(runningRun(), { place: 'episode=2&timeline=0', context });
  await page.locator('.token').first().waitFor();
  await picture(page, 'timeline-narrow');
  expect(await violations(page)).toEqual([]);
});

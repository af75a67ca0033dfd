/** Pictures of every screen in every theme, and what axe finds on them. */
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { casesOf } from '../../tools/deep.ts';
import { violations } from '../harness/accessibility.ts';
import { tasksRun } from '../harness/growingTrace.ts';
import { forkedEpisode } from '../harness/merging.ts';
import { smallRun } from '../harness/samples.ts';
import type { ScriptedRun, ScriptedTrace } from '../harness/scriptedTrace.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const themes = casesOf<readonly [string, BrowserContextOptions]>(
  [
    ['light', { colorScheme: 'light' }],
    ['contrast-dark', { colorScheme: 'dark', contrast: 'more' }],
  ],
  [
    ['dark', { colorScheme: 'dark' }],
    ['contrast-light', { colorScheme: 'light', contrast: 'more' }],
    ['forced-colors', { colorScheme: 'dark', forcedColors: 'active', contrast: 'more' }],
  ],
);

const screens: Readonly<Record<string, { readonly place: string; readonly see: string }>> = {
  run: { place: '', see: '.body-row' },
  overview: { place: 'episode=5', see: '.detail' },
  outcome: { place: 'episode=1', see: '.message' },
  call: { place: 'episode=1&call=1', see: '.message' },
  timeline: { place: 'episode=1&timeline=0', see: '.token.trained' },
  conversation: { place: 'episode=1&timeline=0&message=', see: '.message' },
};

/** The same of real files, which is where these screens get their answers from. */
const ofFiles: Readonly<
  Record<
    string,
    { readonly run: () => ScriptedRun | ScriptedTrace; readonly place: string; readonly see: string }
  >
> = {
  groups: { run: () => tasksRun().run, place: 'list=groups', see: '.body-row' },
  group: { run: () => tasksRun().run, place: 'group=2', see: '.notice' },
  'compare-same': { run: () => tasksRun().run, place: 'episode=4&compare=5', see: '.compare-row' },
  explainer: { run: forkedEpisode, place: 'episode=0&merging=', see: '.merge-branch' },
  'other-setting': { run: forkedEpisode, place: 'episode=0&timeline=4&by=token-true-true', see: '.token' },
};

describe.each(themes)('%s', (theme, context) => {
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

  test.each(Object.entries(ofFiles))('the %s is accessible', async (screen, { run, place, see }) => {
    const { page } = await open(run(), { place, context });
    const seen = page.locator(see).first();
    await seen.waitFor();
    await seen.scrollIntoViewIfNeeded();
    await picture(page, `${screen}-${theme}`);
    expect(await violations(page)).toEqual([]);
  });
});

/** The page in Simplified Chinese: nothing that it says of itself is English, and all of it has room. */
import { describe, expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { tasksRun } from '../harness/growingTrace.ts';
import { isTooWide, overlaps } from '../harness/layout.ts';
import { forkedEpisode } from '../harness/merging.ts';
import { collectAnswers, englishOf, readablesOf } from '../harness/readables.ts';
import { smallRun } from '../harness/samples.ts';
import type { ScriptedRun, ScriptedTrace } from '../harness/scriptedTrace.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const sizes = { wide: { width: 1280, height: 860 }, narrow: { width: 520, height: 800 } };
const locale = 'zh-CN';

interface Screen {
  readonly of: () => ScriptedRun | ScriptedTrace;
  readonly place: string;
  readonly see: string;
  /** A text that it has to have. */
  readonly text: string;
}

const tasks = () => tasksRun().run;
const screens: Readonly<Record<string, Screen>> = {
  run: { of: smallRun, place: '', see: '.body-row', text: '平均奖励' },
  groups: { of: tasks, place: 'list=groups', see: '.body-row', text: '标准差' },
  group: { of: tasks, place: 'group=1', see: '.body-row', text: '下一组' },
  overview: { of: smallRun, place: 'episode=5', see: '.detail', text: '与另一次重复比较' },
  merging: { of: forkedEpisode, place: 'episode=0&merging=', see: '.merging', text: '从调用到时间线' },
  call: { of: smallRun, place: 'episode=1&call=1', see: '.message', text: '转到回复' },
  timeline: { of: smallRun, place: 'episode=1&timeline=0', see: '.token.trained', text: '损失掩码' },
  compare: { of: tasks, place: 'episode=0&compare=1', see: '.compare-list', text: '奖励的组成' },
};

describe.each(Object.entries(sizes))('%s', (size, viewport) => {
  test.each(Object.entries(screens))('the %s has no English of its own', async (screen, shown) => {
    let answers: ReadonlySet<string> = new Set();
    const { page } = await open(shown.of(), {
      place: shown.place,
      context: { viewport, locale },
      prepare: (trace) => (answers = collectAnswers(trace)),
    });
    await page.locator(shown.see).first().waitFor();
    await page.getByText(shown.text).first().waitFor({ state: 'attached' });
    if (screen === 'timeline') {
      await page.getByRole('listbox', { name: 'token' }).focus();
      await page.getByRole('tooltip').waitFor();
    }
    await picture(page, `chinese-${screen}-${size}`);
    expect(englishOf(await readablesOf(page), answers)).toEqual([]);
    await expect.poll(() => overlaps(page)).toEqual([]);
    await expect.poll(() => isTooWide(page)).toBe(false);
    expect(await violations(page)).toEqual([]);
  });
});

test('so are its shortcuts', async () => {
  let answers: ReadonlySet<string> = new Set();
  const { page } = await open(smallRun(), {
    context: { locale },
    prepare: (trace) => (answers = collectAnswers(trace)),
  });
  await page.locator('.body-row').first().waitFor();
  await page.getByRole('button', { name: '键盘快捷键' }).click();
  await page.getByRole('heading', { name: '键盘快捷键' }).waitFor();
  await picture(page, 'chinese-shortcuts');
  expect(englishOf(await readablesOf(page), answers)).toEqual([]);
});

test('the page of a webview says which language it is in', async () => {
  const { page } = await open(smallRun(), { context: { locale }, editorState: undefined });
  await page.getByText('平均奖励').waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
});

test('a language that there is no translation into is English', async () => {
  let answers: ReadonlySet<string> = new Set();
  const { page } = await open(smallRun(), {
    context: { locale: 'fr-FR' },
    prepare: (trace) => (answers = collectAnswers(trace)),
  });
  await page.getByText('Mean reward').first().waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(englishOf(await readablesOf(page), answers)).toContain('Mean reward');
});

test('a filter that is wrong is explained in it', async () => {
  const { page } = await open(smallRun(), { context: { locale }, place: 'filter=rewrd%3E1' });
  await page.getByText('未知字段“rewrd”').waitFor();
});

/** An episode's screen, its calls, and the way there and back. */
import { describe, expect, test } from 'vitest';
import type { EpisodeRow } from '../../../src/traces/core/protocol/traceLists.ts';
import { CodedError } from '../../../src/base/core/errors.ts';
import { episodeRow } from '../harness/records.ts';
import { findings, richEpisode, smallRun } from '../harness/samples.ts';
import { token } from '../harness/server.ts';
import { violations } from '../harness/accessibility.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

describe('a call', () => {
  test('shows its request, options, tools and reply', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&call=0' });
    const detail = page.getByRole('region', { name: 'Call 0' });
    await detail.getByText('You solve math problems step by step.').waitFor();
    await detail.getByText('"expression": "12*8+3*4"').waitFor();
    await detail.getByText('Options').click();
    await detail.getByText('"temperature": 0.7').waitFor();
    await detail.getByText('Tools').click();
    await detail.getByText('"name": "calculate"').waitFor();
    await detail.getByRole('button', { name: 'Timeline 0' }).click();
    await page.getByRole('region', { name: 'Timeline 0' }).waitFor();
  });

  test('that failed says with what', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&call=2' });
    await page.getByText('The client received status 503: The endpoint is overloaded.').waitFor();
    await page.getByText('None, because the call was not answered.').waitFor();
  });
});

describe('an episode', () => {
  test('shows its outcome first: reward and parts, judge, output next to the expected answer', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1' });
    const outcome = page.getByRole('region', { name: 'Outcome' });
    await outcome.getByText('scored by the judge MathJudge in 0.25 s').waitFor();
    const text = (await outcome.innerText()).replaceAll(/\s+/g, ' ');
    for (const part of ['Reward 1, success', 'correctness 1', 'format 0.5', 'How many legs'])
      expect(text).toContain(part);
    for (const part of ['final_answer Together that is \\boxed{108}.', 'answer 12 * 8 = 96.'])
      expect(text).toContain(part);
    await page.getByRole('article').filter({ hasText: 'A spider has 8 legs' }).waitFor();
    await page.getByText('Conversation of timeline 0, the most trained of 2').waitFor();
  });

  test('shows what its code printed', async () => {
    const { page } = await open(smallRun(), { place: 'episode=0' });
    await page.getByText('The first 1,200 characters were not kept.').waitFor();
    expect(await page.locator('.printed').innerText()).toBe('asking the model\nDeprecationWarning: old\n');
    expect(await violations(page)).toEqual([]);
    await page.locator('.printed').scrollIntoViewIfNeeded();
    await picture(page, 'printed');
  });

  test('shows how its calls were merged in a tab, which a link can name', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1' });
    await page.getByRole('button', { name: 'Merging' }).click();
    const merging = page.getByRole('region', { name: 'Merging' });
    await merging.waitFor();
    await page.reload();
    await merging.waitFor();
    await page.getByRole('button', { name: 'Outcome' }).click();
    await page.getByRole('region', { name: 'Outcome' }).waitFor();
  });

  test('that failed says why, where and what to do', async () => {
    const { page } = await open(smallRun(), { place: 'episode=5' });
    const alert = await page.getByRole('alert').innerText();
    for (const part of ['execute() threw', 'workflow.ts:31', 'press F5', 'workflow/threw'])
      expect(alert).toContain(part);
    await page.getByText('at MathWorkflow.execute').waitFor();
  });

  test('that does not train says why wherever one is in it, and how grave each finding is', async () => {
    const two = findings.filter(
      ({ code }) => code === 'context-overflow' || code === 'cut-reply-end-trained',
    );
    const [grave, slight] = two.map(({ message }) => message);
    const row = { trains: false, findings: two };
    const run = { ...smallRun(), record: () => richEpisode(0, row) };
    const { page } = await open(run, { place: 'episode=0&timeline=0' });
    await page.getByText(`Would not train: ${grave}`).waitFor();
    await page.getByRole('button', { name: 'and 1 other finding' }).click();
    const overview = page.getByRole('region', { name: 'Overview' });
    await overview.getByText(`error ${grave}`).waitFor();
    await overview.getByText(`warning ${slight}`).waitFor();
    for (const { code, hint } of two) {
      await overview.getByText(code, { exact: true }).waitFor();
      await overview.getByText(hint).waitFor();
    }
    await page.getByText(`Would not train: ${grave}`).waitFor();
  });

  test('without calls says so', async () => {
    const run = smallRun();
    const row = episodeRow({ episode: 0, calls: 0, timelines: 0 });
    const record = { view: { row, calls: [], timelines: [] }, calls: [], timelines: [] };
    const { page } = await open({ ...run, record: () => record }, { place: 'episode=0' });
    await page.getByText('The workflow made no call').waitFor();
  });

  test('that cannot be read can be tried again', async () => {
    const error = new CodedError({ code: 'trace/damaged', message: 'The record is damaged.' });
    const { page, trace } = await open(smallRun(), {
      place: 'episode=1',
      prepare: (script) => script.fail('episode', error),
    });
    await page.getByText('The record is damaged.').waitFor();
    // A page that asks again by itself is not answered before the button was pressed either.
    const release = trace.hold('episode');
    trace.mend('episode');
    await page.getByRole('button', { name: 'Retry' }).click();
    release();
    await page.getByRole('heading', { name: '2 timelines' }).waitFor();
  });
});

test('the previous and the next episode are a key away, in the order of the table', async () => {
  const { page, trace } = await open(smallRun());
  const filter = page.getByRole('combobox', { name: 'Filter' });
  await filter.fill('reward>=0');
  await expect.poll(() => page.url()).toContain('filter=');
  await page.locator('#episode-row-1').click();
  await page.getByText('2/16').waitFor();
  await page.keyboard.press('Alt+]');
  await page.getByText('3/16').waitFor();
  await page.getByRole('button', { name: 'Previous episode' }).click();
  await page.getByText('2/16').waitFor();
  await page.keyboard.press('Alt+[');
  await page.getByText('1/16').waitFor();
  expect(await page.getByRole('button', { name: 'Previous episode' }).isDisabled()).toBe(true);
  expect(trace.requests.find(({ method }) => method === 'neighbors')).toMatchObject({
    filter: { kind: 'number', field: 'reward' },
  });
});

test('an episode takes tags and a note, which its row in the table shows', async () => {
  const run = smallRun();
  const noted = { note: 'Compare with the repeat.', tags: ['odd'] };
  const withNotes = (row: EpisodeRow): EpisodeRow => (row.episode === 2 ? { ...row, noted } : row);
  const { page, trace } = await open(run, { place: 'episode=2' });
  await page.getByText('Tags and note').click();
  const tags = page.getByLabel('Tags, separated by commas');
  await tags.fill(`odd, ${'long'.repeat(20)}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('at most 50 characters').waitFor();
  expect(trace.requests.some(({ method }) => method === 'annotate')).toBe(false);
  await tags.fill('odd, needs work');
  await page.getByLabel('Note', { exact: true }).fill('Compare with the repeat.');
  await picture(page, 'notes');
  expect(await violations(page)).toEqual([]);
  trace.run = {
    ...run,
    row: (episode) => {
      const row = run.row(episode);
      return row && withNotes(row);
    },
    record: (episode) => {
      const record = run.record(episode);
      return record && { ...record, view: { ...record.view, row: withNotes(record.view.row) } };
    },
  };
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => tags.inputValue()).toBe('odd');
  expect(trace.requests.find(({ method }) => method === 'annotate')).toMatchObject({
    ...{ episode: 2, note: noted.note, tags: ['odd', 'needs work'] },
  });
  await page.getByRole('button', { name: 'math_agent' }).click();
  await page.locator('#episode-row-2 .tag').first().waitFor();
  expect(await page.locator('#episode-row-2 .tag').allInnerTexts()).toEqual(['odd', 'note']);
  await picture(page, 'tags');
});

test('calls of other models are counted apart', async () => {
  const { page } = await open(smallRun(), { place: 'episode=1' });
  await page.getByText('3 calls trained + 2 of gpt-4o').waitFor();
});

describe('the way', () => {
  test('there is in the address, with the token, and survives reloading', async () => {
    const { page } = await open(smallRun());
    await page.locator('#episode-row-1').click();
    await page.getByRole('option', { name: /Timeline 1/ }).click();
    await expect.poll(() => new URL(page.url()).hash).toBe(`#token=${token}&episode=1&timeline=1`);
    await page.reload();
    await page.getByRole('region', { name: 'Timeline 1' }).waitFor();
  });

  test('back leads over episode and run, whatever was looked at side by side', async () => {
    const { page } = await open(smallRun());
    await page.locator('#episode-row-1').click();
    await page.getByRole('option', { name: /Timeline 0/ }).click();
    await page.getByRole('region', { name: 'Timeline 0' }).waitFor();
    await page.getByRole('option', { name: /^Call 1 / }).click();
    await page.getByRole('region', { name: 'Call 1' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    await page.goBack();
    await page.getByRole('grid').waitFor();
  });

  test('back leads up for who came by a link', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&call=1' });
    await page.getByRole('region', { name: 'Call 1' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('grid').waitFor();
  });

  test('up leads over the breadcrumbs', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&call=1' });
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
    await crumbs.getByRole('button', { name: 'gsm8k-0' }).waitFor();
    await crumbs.getByRole('button', { name: 'repeat 1' }).click();
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    await crumbs.getByRole('button', { name: 'math_agent' }).click();
    await page.getByRole('grid').waitFor();
  });

  test('to nowhere says so', async () => {
    const { page } = await open(smallRun(), { place: 'episode=99' });
    await page.getByText('The trace has no episode 99.').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('grid').waitFor();
  });
});

describe('in an editor', () => {
  test('the page is answered by messages and keeps its place in the editor’s state', async () => {
    const { page } = await open(smallRun(), { editorState: undefined });
    await page.locator('#episode-row-1').click();
    await page.getByRole('option', { name: /Timeline 0/ }).click();
    await page.locator('.token').first().waitFor();
    expect(await page.evaluate('keptState()')).toMatchObject({
      trail: ['', 'episode=1', 'episode=1&timeline=0'],
      at: 2,
    });
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('region', { name: 'Overview' }).waitFor();
  });

  test('a page that comes back is where it was', async () => {
    const { page } = await open(smallRun(), { editorState: { trail: ['', 'episode=1&call=0'] } });
    await page.getByRole('region', { name: 'Call 0' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('grid').waitFor();
  });
});

test('an address without its token says what to do', async () => {
  const { page } = await open(smallRun());
  await page.evaluate(() => location.replace('#'));
  await page.reload();
  await page.getByText('The token of the trace server is missing from this address.').waitFor();
});

test('a token that the server does not accept is told, and not tried for ever', async () => {
  const { page, complaints } = await open(smallRun());
  await page.getByRole('grid').waitFor();
  await page.evaluate(() => location.replace('#token=wrong'));
  await page.reload();
  await page.getByText('does not accept the token').waitFor();
  await page.getByText('viewer/refused').waitFor();
  // The browser reports each refused request by itself.
  expect(complaints.every((text) => text.includes('401'))).toBe(true);
  complaints.length = 0;
});

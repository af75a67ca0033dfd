/** The run's screen: what its header and its report say, and ten thousand episodes in its table. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { largestWindow } from '../../../src/traces/core/protocol/traceRpc.ts';
import type { TraceSummary } from '../../../src/traces/core/protocol/runRpc.ts';
import { runView } from '../harness/records.ts';
import { violations } from '../harness/accessibility.ts';
import { realRun, tasksRun } from '../harness/growingTrace.ts';
import { longRun, smallRun } from '../harness/samples.ts';
import { nodesOf, picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const filterOf = (page: Page) => page.getByRole('combobox', { name: 'Filter' }).inputValue();

describe('the filter', () => {
  test('explains itself, with examples to try', async () => {
    const { page } = await open(smallRun(), { context: { colorScheme: 'dark' } });
    await page.getByRole('button', { name: 'Filter help' }).click();
    const help = page.getByRole('dialog', { name: 'Filter episodes' });
    await help.getByText('share of such tokens').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'filter-help');
    await help.getByRole('button', { name: 'spread=0' }).click();
    await help.waitFor({ state: 'detached' });
    await expect.poll(() => filterOf(page)).toBe('spread=0');
  });

  test('offers fields when it is clicked, and values of a field', async () => {
    const { page } = await open(smallRun());
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.click();
    await page.getByRole('option', { name: /^reward/ }).waitFor();
    await picture(page, 'filter-fields');
    await field.pressSequentially('task:');
    await page.getByRole('option', { name: 'gsm8k-0' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => filterOf(page)).toBe('task:gsm8k-0');
  });
});

test('metadata becomes columns of the table, behind those that a narrow table shows', async () => {
  const { page } = await open(smallRun());
  await page.getByRole('button', { name: 'Columns…' }).click();
  await page.getByRole('checkbox', { name: 'task.level' }).check();
  await picture(page, 'metadata-columns');
  await page.keyboard.press('Escape');
  await page.locator('#episode-row-1').getByText('a task.level').waitFor();
  const headers = await page.getByRole('columnheader').allInnerTexts();
  expect(headers.slice(0, 5)).toEqual(['Task', 'Reward', 'Success', 'Would train', 'task.level']);
  expect(await violations(page)).toEqual([]);
  await picture(page, 'metadata-column');
  await page.reload();
  await page.getByRole('columnheader', { name: 'task.level' }).waitFor();
});

test('runs of a config are a table with their trend, and of an editor they open', async () => {
  const run = smallRun();
  const { config, workflow, model, startedAt, tokenizer, limits, totals } = run.run;
  const runs = [0.81, 0.75, 0.4, 0.5, 0.25].map((meanReward, index): TraceSummary => ({
    ...{ trace: `/runs/${index}.ajtrace`, size: 1, experiment: `math_agent_${5 - index}` },
    ...{ config: index === 3 ? '/other.yaml' : config, workflow, model, episodes: 16, error: null },
    startedAt: startedAt - index * 3_600_000,
    ...{ state: 'completed', tokenizer, limits },
    totals: { ...totals, meanReward, successRate: meanReward, failed: index === 2 ? 3 : 0 },
  }));
  const { page, trace } = await open({ ...run, runs }, { editorState: undefined });
  await page.getByRole('button', { name: 'All runs' }).click();
  const rows = page.locator('.body-row');
  await expect.poll(() => rows.count()).toBe(4);
  await page.getByRole('img', { name: 'Mean reward: 0.25 in the first run, 0.81 in the last' }).waitFor();
  expect(await rows.nth(2).innerText()).toContain('completed, 3 failed');
  await page.getByRole('button', { name: 'All runs' }).click();
  await expect.poll(() => rows.count()).toBe(5);
  await rows.nth(1).click();
  await expect.poll(() => trace.count('openRun')).toBe(1);
  expect(trace.requests.at(-1)).toMatchObject({ method: 'openRun', other: '/runs/1.ajtrace' });
  expect(await violations(page)).toEqual([]);
});

test('a report that was read has one line per finding, until its user asks for more', async () => {
  const { page } = await open(smallRun());
  await page.getByText('Make the reward finer.').waitFor();
  await page.locator('#episode-row-1').click();
  await page.getByRole('region', { name: 'Overview' }).waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Show what to do' }).waitFor();
  expect(await page.getByText('Make the reward finer.').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Show what to do' }).click();
  await page.getByText('Make the reward finer.').waitFor();
});

describe('the header', () => {
  test('names the run, its totals and the tokenizer that stood in', async () => {
    const { page } = await open(smallRun());
    const header = page.locator('.run-header');
    await header.getByRole('heading', { name: 'math_agent' }).waitFor();
    const text = await header.innerText();
    for (const part of [
      'completed',
      'math_agent.yaml',
      'MathWorkflow',
      'built-in (seed 12345)',
      'tokenizer: built-in, approximate',
      '16 of 16',
      '10,240',
      '2,084 20 %',
    ]) {
      expect(text).toContain(part);
    }
    await expect.poll(() => page.title()).toBe('math_agent · AgentJet trace');
  });

  test('does not call a tokenizer approximate that is the model’s own', async () => {
    const tokenizer = { name: 'Qwen/Qwen2.5-7B', exact: true, file: '/models/qwen/tokenizer.json' };
    const { page } = await open({ ...smallRun(), run: runView({ tokenizer }) });
    expect(await page.locator('.tokenizer').innerText()).toBe('tokenizer: Qwen/Qwen2.5-7B');
  });

  test.each([
    ['running', { end: null, live: true }],
    ['stopped', { end: null, live: false }],
    ['stopped', { end: { status: 'cancelled', error: null, endedAt: 1 } }],
    ['failed', { end: { status: 'failed', error: null, endedAt: 1 } }],
  ] as const)('says that a run is %s', async (status, view) => {
    const { page } = await open({ ...smallRun(), run: runView(view) });
    expect(await page.locator('.run-header .status').innerText()).toBe(`${status}, 1 failed`);
  });

  test.each([
    [0, 'completed', 'completed'],
    [3, 'completed, 3 failed', 'some-failed'],
    [16, 'completed, 16 failed', 'all-failed'],
  ] as const)('says of a completed run that %d episodes failed', async (failed, word, kind) => {
    const totals = { ...runView().totals, failed };
    const { page } = await open({ ...smallRun(), run: runView({ totals }) });
    const status = page.locator('.run-header .status');
    expect(await status.innerText()).toBe(word);
    expect(await status.getAttribute('class')).toContain(`status-${kind}`);
  });

  test('says what another tool did not record, in the place of numbers that stand for nothing', async () => {
    const { totals } = smallRun().run;
    const imported = {
      format: 'OpenAI requests',
      source: '/logs/requests.jsonl',
      lacks: ['rewards', 'successes', 'times', 'tokens', 'lossMask'],
      records: 4,
      skipped: 0,
      skips: [],
    } as const;
    const none = { ...totals, meanReward: null, successRate: 0, tokens: 0, trainableTokens: 0 };
    const { page } = await open({
      ...smallRun(),
      run: runView({ imported, config: '', workflow: '', workflowFile: '', model: '', totals: none }),
    });
    await page.locator('.body-row').first().waitFor();
    const header = await page.locator('.run-header').innerText();
    expect(header).not.toMatch(/config|workflow|0 %/);
    expect(header.match(/not recorded/g)).toHaveLength(7);
    expect(await page.getByRole('region', { name: 'Distributions' }).count()).toBe(0);
    // Nobody told that these had no success, or that they would train.
    expect(await page.locator('.body-row').first().innerText()).not.toMatch(/yes|open/);
    expect(await page.locator('.success-ended').first().innerText()).toBe('–');
  });

  test('says what of a damaged file is missing, and shows the rest', async () => {
    const damage = { run: true, tokens: true, lost: 2, incomplete: 3, episodes: [4, 7, 9] };
    const { page } = await open({ ...smallRun(), run: runView({ damage }) });
    const notice = page.locator('.notice-warning', { hasText: 'This file is damaged.' });
    await notice.waitFor();
    expect(await notice.getByRole('listitem').allInnerTexts()).toEqual([
      'Facts about the run are lost.',
      'Texts of tokens are lost. These tokens only have their ids.',
      '2 episodes are lost.',
      'These episodes may be incomplete: 4, 7, 9.',
    ]);
    await page.locator('.body-row').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('.body-row').first().click();
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    await notice.waitFor();
  });

  test('says why a run failed and what to do', async () => {
    const error = { code: 'config/broken', message: 'The config has no `ajet`.', hint: 'Add it.' };
    const end = { status: 'failed', error, endedAt: 1 } as const;
    const { page } = await open({ ...smallRun(), run: runView({ end }) });
    const alert = await page.getByRole('alert').innerText();
    for (const part of [error.message, error.hint, error.code]) expect(alert).toContain(part);
  });

  test('says that a newer format is not shown whole', async () => {
    const { page } = await open({ ...smallRun(), run: runView({ newerFormat: 7 }) });
    await page.getByText('This trace has format 7').waitFor();
  });
});

describe('the training report', () => {
  test('counts, and filters by a finding, until it is pressed again', async () => {
    const { page } = await open(tasksRun().run);
    await page.getByText('16 of 21 episodes would train.').waitFor();
    const finding = page.getByRole('button', { name: /same reward/ });
    await finding.click();
    await page.getByRole('grid', { name: '4 episodes' }).waitFor();
    expect(await finding.getAttribute('aria-pressed')).toBe('true');
    expect(await filterOf(page)).toBe('finding:equal-rewards');
    await finding.click();
    await page.getByRole('grid', { name: '21 episodes' }).waitFor();
  });

  test('says of each finding what it concerns, by which id it is known, and what to do', async () => {
    const { page } = await open(smallRun());
    const groups = page.getByRole('button', { name: /same reward/ });
    expect(await groups.innerText()).toMatch(
      /equal-rewards\s+Make the reward finer\.\s+2 groups, 4 episodes$/,
    );
    const run = page.locator('.finding', { hasText: 'approximate-tokenizer' });
    expect(await run.innerText()).toMatch(/the run$/);
    expect(await run.getByRole('button').count()).toBe(0);
  });
});

describe('a filter', () => {
  test('is written with completions, follows, and outlives a visit and a reload', async () => {
    const { page } = await open(tasksRun().run);
    await page.getByRole('grid', { name: '21 episodes' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('rew');
    await page.getByRole('option', { name: /^reward the episode/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('>=1 agent:pl');
    await page.getByRole('option', { name: 'planner' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.getByRole('grid', { name: '1 episode', exact: true }).waitFor();
    expect(await filterOf(page)).toBe('reward>=1 agent:planner');
    await page.getByRole('button', { name: 'Save this filter' }).click();
    await page.locator('.body-row').first().click();
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('grid', { name: '1 episode', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('grid', { name: '1 episode', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByRole('grid', { name: '21 episodes' }).waitFor();
    await page.getByRole('button', { name: 'reward>=1 agent:planner', exact: true }).click();
    await page.getByRole('grid', { name: '1 episode', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Delete the filter/ }).click();
    await page.getByRole('button', { name: 'Save this filter' }).waitFor();
  });

  test('that is none says where and what there is; the list stays', async () => {
    const { page } = await open(tasksRun().run);
    await page.getByRole('grid', { name: '21 episodes' }).waitFor();
    await page.getByRole('combobox', { name: 'Filter' }).fill('error rewrd<1');
    const problem = page.getByRole('alert');
    await problem.getByText('At character 7: unknown field “rewrd”. Use one of reward,').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('grid', { name: '21 episodes' }).waitFor();
    await page.keyboard.press('Escape');
    await problem.waitFor({ state: 'detached' });
  });

  test('that nothing matches says so, and is cleared', async () => {
    const { page } = await open(tasksRun().run, { place: 'filter=reward%3E7' });
    await page.getByText('Nothing matches the filter.').waitFor();
    await page.locator('.empty').getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByRole('grid', { name: '21 episodes' }).waitFor();
  });

  test('is chosen by a bar of a distribution, with the keyboard, too', async () => {
    const { page } = await open(tasksRun().run);
    const rewards = page.getByRole('group', { name: 'Reward of episodes' });
    await rewards.getByRole('button', { name: '1: 5 episodes' }).click();
    await page.getByRole('grid', { name: '5 episodes' }).waitFor();
    expect(await filterOf(page)).toBe('reward=1');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: '6 episodes' }).waitFor();
    expect(await filterOf(page)).toBe('reward>=0.5 reward<=0.5');
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: '21 episodes' }).waitFor();
    await page.getByRole('group', { name: 'Mean reward of tasks' }).getByRole('button').first().click();
    await page.getByRole('grid', { name: /^[1-9] episodes$/ }).waitFor();
  });
});

describe('an order', () => {
  test('is chosen at a column, the other way at the second press, and outlives a reload', async () => {
    const { page } = await open(tasksRun().run);
    const header = page.getByRole('columnheader', { name: 'Reward' });
    await header.getByRole('button').click();
    await page.locator('#episode-row-0').getByText('task-1').waitFor();
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending');
    await header.getByRole('button').click();
    await page.locator('#episode-row-0').getByText('task-0').waitFor();
    await page.reload();
    await page.locator('#episode-row-0').getByText('task-0').waitFor();
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
  });

  test('keeps the row one is at where it is while others arrive before it', async () => {
    const real = realRun({ tasks: 60, repeat: 2, episodes: 120 });
    for (let episode = 0; episode < 80; episode++) real.episode(episode, { reward: episode / 100 });
    const viewer = await open(real.run, { place: 'sort=-reward' });
    const { page, server } = viewer;
    const grid = page.getByRole('grid', { name: '80 episodes' });
    await grid.focus();
    for (const key of ['PageDown', 'PageDown', 'ArrowDown']) await page.keyboard.press(key);
    const row = page.locator('.body-row.current');
    await row.getByText('task-19').waitFor();
    const before = await row.boundingBox();
    for (let episode = 80; episode < 100; episode++) real.episode(episode, { reward: episode / 100 });
    server.notify();
    await page.getByRole('grid', { name: '100 episodes' }).waitFor();
    await page.locator('#episode-row-61.current').getByText('task-19').waitFor();
    expect((await row.boundingBox())?.y).toBeCloseTo(before?.y ?? NaN, 0);
  });
});

describe('groups', () => {
  test('are listed with what training makes of them, sorted and filtered', async () => {
    const { page } = await open(tasksRun().run);
    await page.getByRole('grid').waitFor();
    await page.keyboard.press('t');
    await page.getByRole('grid', { name: '6 groups' }).waitFor();
    await page.getByRole('columnheader', { name: 'Spread' }).getByRole('button').click();
    await page.locator('#group-row-0').getByText('task-1').waitFor();
    const equal = page.locator('.body-row', { hasText: 'equal-rewards' });
    expect(await equal.count()).toBe(1);
    expect(await equal.innerText()).toContain('0 of 4');
    await page.getByRole('combobox', { name: 'Filter' }).fill('error');
    await page.getByRole('grid', { name: '1 group' }).waitFor();
    await page.getByRole('columnheader', { name: 'Matching' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('.body-row').click();
    await page.getByRole('heading', { name: 'task-3' }).waitFor();
    await page.keyboard.press('u');
    await page.getByRole('grid', { name: '1 group' }).waitFor();
  });
});

describe('ten thousand episodes', () => {
  test('are drawn and asked for in part', async () => {
    const { page, trace } = await open(longRun(10_000));
    const grid = page.getByRole('grid');
    await grid.focus();
    expect(await grid.getAttribute('aria-rowcount')).toBe('10001');
    await page.keyboard.press('End');
    await page.locator('#episode-row-9999').getByText('task-2499').waitFor();
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await page.getByText('task-1250').first().waitFor();
    expect(await nodesOf(page)).toBeLessThan(1_500);
    for (const request of trace.requests) {
      if (request.method === 'episodes') expect(request.limit).toBeLessThanOrEqual(largestWindow.episodes);
    }
  });

  test('are reached with the keyboard, and left where one was', async () => {
    const { page } = await open(longRun(10_000));
    const grid = page.getByRole('grid');
    await grid.focus();
    for (const key of ['End', 'PageUp', 'ArrowUp', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    expect(await grid.getAttribute('aria-activedescendant')).toBe('episode-row-9978');
    await page.locator('#episode-row-9978').getByText('task-2494').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByText('Episode 9978').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.locator('#episode-row-9978.current').waitFor();
    expect(await page.locator('#episode-row-9978').isVisible()).toBe(true);
  });
});

describe('without an answer', () => {
  test('an empty run says so', async () => {
    const totals = { ...runView().totals, started: 0, ended: 0 };
    const report = { trains: 0, doesNotTrain: 0, findings: [] };
    const { page } = await open({
      ...smallRun(),
      episodes: 0,
      run: runView({ totals, report, end: null, live: true }),
    });
    await page.getByText('No episode has started yet.').waitFor();
    await page.getByText('No episode has ended yet.').waitFor();
  });

  test('it says what it waits for', async () => {
    let release: () => void = () => undefined;
    const { page } = await open(smallRun(), { prepare: (trace) => (release = trace.hold('run')) });
    await page.getByText('Loading the trace').waitFor();
    release();
    await page.locator('.body-row').first().waitFor();
  });

  test('an error is told with what to do, and can be tried again', async () => {
    const error = new CodedError({
      code: 'trace/unreadable',
      message: 'The file is no trace.',
      hint: 'Choose a file that ends in .ajtrace.',
    });
    const { page, trace } = await open(smallRun(), { prepare: (script) => script.fail('run', error) });
    const alert = page.getByRole('alert');
    for (const part of [error.message, error.hint ?? '', error.code]) await alert.getByText(part).waitFor();
    // A page that asks again by itself is not answered before the button was pressed either.
    const release = trace.hold('run');
    trace.mend('run');
    await page.getByRole('button', { name: 'Retry' }).click();
    release();
    await page.locator('.body-row').first().waitFor();
  });
});
